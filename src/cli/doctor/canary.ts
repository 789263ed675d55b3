import type { AgentName, Kind } from '../../core/hook-event.ts';
import type { Trial } from '../../core/agent/registration.ts';
import { type Check, defineGuide, skipped } from './check.ts';

/** An agent whose hooks are tried out. */
export interface CanarySubject {
  readonly agent: AgentName;
  /** Every event for which its settings register the hook. */
  readonly registered: readonly string[];
  readonly trial: Trial;
  readonly silentAbout: readonly Kind[];
  /** The agent runs without a terminal, and ends by itself. */
  readonly headless: boolean;
  /** What the user must do before the agent runs its hooks. */
  readonly afterwards: string | null;
}

/** An event received after the trial began. */
export interface CanaryEvent {
  readonly agent: AgentName;
  readonly event: string;
  readonly sessionId: string | null;
  /** When the hook ran, and when the daemon received it; Unix ms. */
  readonly at: number;
  readonly receivedAt: number;
  /** The daemon knew it already. */
  readonly repeated: boolean;
  /** Its payload contains the marker. */
  readonly marked: boolean;
}

/**
 * `unasked`: one prompt does not cause it. `withheld`: the agent does not send it without a terminal. `unclosed`: it comes
 * when the session ends.
 */
type CanaryState = 'arrived' | 'late' | 'doubled' | 'missing' | 'unclosed' | 'withheld' | 'unasked';

/** The outcome for one registered event. */
export interface CanaryFinding extends Pick<CanaryEvent, 'agent' | 'event'> {
  readonly state: CanaryState;
  readonly times: number;
  /** From the start of the trial to the hook, and from there to the daemon, ms; null when it did not arrive. */
  readonly afterMs: number | null;
  readonly handOverMs: number | null;
}

/** Handing over takes milliseconds: after this long, the daemon was not running or has a problem. */
const LATE_MS = 5_000;

/** Returns the events of the trial: those of the session with the marker, or of the agent if none has it. */
export function eventsOfTrial(
  { agent }: Pick<CanarySubject, 'agent'>,
  events: readonly CanaryEvent[],
): readonly CanaryEvent[] {
  const ofAgent = events.filter((event) => event.agent === agent);
  const sessions = new Set(ofAgent.flatMap(({ marked, sessionId }) => (marked ? [sessionId] : [])));
  return sessions.size === 0 ? ofAgent : ofAgent.filter(({ sessionId }) => sessions.has(sessionId));
}

/** Returns true if every event that one prompt (and the end of its session) causes has arrived. */
export function isComplete(subject: CanarySubject, events: readonly CanaryEvent[]): boolean {
  const arrived = new Set(eventsOfTrial(subject, events).map(({ event }) => event));
  const { trial, registered } = subject;
  return [...trial.events, ...(trial.closing ?? [])]
    .filter((event) => registered.includes(event) && !isWithheld(subject, event))
    .every((event) => arrived.has(event));
}

/** Returns for each registered event whether it arrived, how late, and how often. */
export function judgeCanary(
  subject: CanarySubject,
  events: readonly CanaryEvent[],
  startedAt: number,
): readonly CanaryFinding[] {
  const ofAgent = eventsOfTrial(subject, events);
  return [...new Set(subject.registered)].map((event) => {
    const arrivals = ofAgent.filter((arrival) => arrival.event === event);
    const [first] = arrivals.toSorted((one, other) => one.at - other.at);
    const base = { agent: subject.agent, event, times: arrivals.length };
    if (first === undefined) {
      return { ...base, state: absence(subject, event), afterMs: null, handOverMs: null };
    }
    const handOverMs = first.receivedAt - first.at;
    const isDoubled = arrivals.length > 1 && arrivals.some(({ repeated }) => repeated);
    const state = isDoubled ? 'doubled' : handOverMs > LATE_MS ? 'late' : 'arrived';
    return { ...base, state, afterMs: Math.max(0, first.at - startedAt), handOverMs };
  });
}

function absence(subject: CanarySubject, event: string): CanaryState {
  const { trial, headless } = subject;
  if (isWithheld(subject, event)) return 'withheld';
  if (trial.events.includes(event)) return 'missing';
  if (trial.closing?.includes(event) === true) return headless ? 'missing' : 'unclosed';
  return 'unasked';
}

function isWithheld({ trial, headless }: CanarySubject, event: string): boolean {
  return headless && trial.lostHeadless?.includes(event) === true;
}

export const canaryGuide = defineGuide('AGENT EVENT', {
  late: { state: 'warning', remedy: 'Run "hookbell doctor" to check the daemon' },
  doubled: {
    state: 'warning',
    remedy: 'Look for "hookbell-hook" in the user, project and plugin settings, and keep one',
  },
  missing: {
    state: 'problem',
    remedy: 'Run "hookbell doctor", and check whether {agent} has its hooks disabled',
  },
});

/** A finding as one line of `doctor`. */
export function checkOf(finding: CanaryFinding, { afterwards }: CanarySubject): Check {
  const { agent, event, state, times, afterMs, handOverMs } = finding;
  const guide = canaryGuide.named(`${agent} ${event}`);
  const when = `after ${((afterMs ?? 0) / 1_000).toFixed(1)} s, handed over in ${handOverMs ?? 0} ms`;
  switch (state) {
    case 'arrived':
      return guide.ok(times === 1 ? `arrived ${when}` : `arrived ${times} times, first ${when}`);
    case 'late':
      return guide.found('late', `arrived late: ${when}`);
    case 'doubled':
      return guide.found(
        'doubled',
        `arrived ${times} times ${when}: the hook is registered twice (it notifies once)`,
      );
    case 'missing':
      return guide.found('missing', 'did not arrive', { agent }, afterwards);
    case 'unclosed':
      return guide.skipped('did not arrive: it comes when the session ends');
    case 'withheld':
      return guide.skipped(
        `did not arrive: ${agent} does not send it, or cuts it off, without a terminal`,
      );
    case 'unasked':
      return guide.skipped('not tried: one prompt does not cause it');
  }
}

/** Names what the agent never reports, if anything, so that users do not wait for it. */
export function silenceChecks({ agent, silentAbout }: CanarySubject): readonly Check[] {
  if (silentAbout.length === 0) return [];
  return [skipped(`${agent}: never sent`, `${agent} has no event for ${silentAbout.join(', ')}`)];
}
