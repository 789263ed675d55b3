import type { HookbellHome } from '../../test/support/hookbell-home.ts';
import type { DayClock } from './clock.ts';

/** Whether a channel has to receive something, must not, or may: what happened in a trouble is not foretold. */
type Due = 'yes' | 'no' | 'open';

/** Something that a person may have to be notified of, found again by its name in what a channel received. */
export interface Claim {
  readonly name: string;
  readonly what: string;
  /** The channel that is notified first, and the one that is notified after ten minutes. */
  readonly first: Due;
  readonly later: Due;
  /** Unix ms of the day. */
  readonly from: number;
  readonly until: number;
}

export interface Crew {
  readonly claims: readonly Claim[];
  /** Events of each session whose hook ended well, and of all others. */
  readonly sent: ReadonlyMap<string, { readonly owed: number; readonly all: number }>;
  readonly offences: readonly string[];
  /** How long the hooks took, ms of our time. */
  readonly hookMs: readonly number[];
  events(): number;
  /** Settles when all agents have ended their sessions. */
  readonly over: Promise<unknown>;
}

interface CrewOptions {
  readonly place: HookbellHome;
  readonly clock: DayClock;
  readonly random: () => number;
  readonly count: number;
  /** Unix ms of the day: no session starts after it. */
  readonly until: number;
  /** Settles when the machine is awake. */
  readonly awake: () => Promise<unknown>;
  /** Whether hooks may lose something, because the disk takes nothing. */
  readonly isFull: () => boolean;
}

const SECOND = 1_000;
const MINUTE = 60_000;
/** Waits by how long the person takes, ms: never notified, notified once, and notified again elsewhere. */
const WAITS = [
  { what: 'answered in seconds', from: 2 * SECOND, to: 4 * SECOND, first: 'no', later: 'no' },
  { what: 'answered in minutes', from: 2 * MINUTE, to: 8 * MINUTE, first: 'yes', later: 'no' },
  { what: 'answered late', from: 14 * MINUTE, to: 18 * MINUTE, first: 'yes', later: 'yes' },
] as const;
/** In how many of ten turns each of them comes. */
const SHARES = [4, 2, 1];

/** Agents at work: sessions of some turns with their tools, requests that are answered sooner or later, and an end. */
export function startCrew(options: CrewOptions): Crew {
  const { place, clock, random, until, awake, isFull } = options;
  const claims: Claim[] = [];
  const sent = new Map<string, { owed: number; all: number }>();
  const offences: string[] = [];
  const hookMs: number[] = [];
  let events = 0;

  const between = (from: number, to: number): number => from + random() * (to - from);

  async function say(session: string, event: object): Promise<void> {
    await awake();
    const wasFull = isFull();
    const startedAt = performance.now();
    const common = { session_id: session, cwd: `/home/dev/${session.split('n')[0]}` };
    const { code, stdout, stderr } = await place.hook({ ...common, ...event }, [
      '--agent',
      'claude',
    ]);
    hookMs.push(performance.now() - startedAt);
    if (code !== 0 || stdout + stderr !== '')
      offences.push(`a hook of ${session} ended with ${code}: ${stdout}${stderr}`);
    const count = sent.get(session) ?? { owed: 0, all: 0 };
    const isOwed = !wasFull && !isFull();
    sent.set(session, { owed: count.owed + (isOwed ? 1 : 0), all: count.all + 1 });
    events += 1;
  }

  async function ask(session: string, name: string): Promise<void> {
    const share = random() * 10;
    const kind = SHARES.findIndex((_, index) => share < sum(SHARES.slice(0, index + 1)));
    const wait = WAITS[kind];
    if (wait === undefined) return;
    const request = { tool_name: 'Bash', tool_input: { command: `make ${name}` } };
    const from = clock.now();
    await say(session, { hook_event_name: 'PermissionRequest', ...request });
    await clock.pass(between(wait.from, wait.to));
    await say(session, { hook_event_name: 'PostToolUse', ...request, tool_response: {} });
    const { what, first, later } = wait;
    claims.push({ name, what, first, later, from, until: clock.now() });
  }

  async function turn(session: string, number: number): Promise<void> {
    const from = clock.now();
    await say(session, { hook_event_name: 'UserPromptSubmit', prompt: 'Go on' });
    const tools = Math.floor(between(14, 60));
    for (let tool = 0; tool < tools; tool += 1) {
      await clock.pass(between(2 * SECOND, 9 * SECOND));
      const used = { tool_name: 'Read', tool_input: { file_path: `/home/dev/${tool}.ts` } };
      await say(session, { hook_event_name: 'PostToolUse', ...used, tool_response: {} });
      if (tool === 3) await ask(session, `claim-${session}-${number}00`);
    }
    const name = `claim-${session}-${number}01`;
    await say(session, { hook_event_name: 'Stop', last_assistant_message: `Done: ${name}` });
    await clock.pass(between(MINUTE, 3 * MINUTE));
    const what = 'a turn that ended';
    claims.push({ name, what, first: 'yes', later: 'no', from, until: clock.now() });
  }

  async function work(agent: string): Promise<void> {
    await clock.pass(between(0, 5 * MINUTE));
    for (let number = 0; clock.now() < until; number += 1) {
      const session = `${agent}n${number}`;
      await say(session, { hook_event_name: 'SessionStart', source: 'startup' });
      const turns = Math.floor(between(2, 9));
      for (let at = 1; at <= turns && clock.now() < until; at += 1) await turn(session, at);
      await say(session, { hook_event_name: 'SessionEnd', reason: 'exit' });
      await clock.pass(between(0, 10 * MINUTE));
    }
  }

  const names = Array.from({ length: options.count }, (_, index) => `a${index}`);
  const over = Promise.all(names.map(work));
  return { claims, sent, offences, hookMs, events: () => events, over };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
