import type { AgentTraits, Refinement } from '../core/agent/agent-traits.ts';
import type { Decision } from '../core/decision.ts';
import { type HookEvent, isWaiting, promptMark } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { Session } from '../core/session.ts';
import type { Memory } from '../core/store.ts';
import { isIdleReminder } from './repeat.ts';
import { limitChange } from './usage-limit.ts';

export interface Refined {
  readonly event: HookEvent;
  /** The session that the event's helper thread works for; null for an ordinary event. */
  readonly helps: Session | null;
  /** Null where the payload alone decides the meaning. */
  readonly decision: Decision | null;
}

/** An agent may report one failed or interrupted turn several times within this time, ms. */
const SAME_END_MS = 10_000;
/** How long the agent retries a failed request, ms. */
const RETRIES_MS = 120_000;

/** Refines the meaning of an event by the history of its session: payloads are decoded one by one. */
export function refine(
  event: HookEvent,
  { session, sibling, limits }: Memory,
  { traits, tellsRounds }: { readonly traits: AgentTraits } & Pick<Policy, 'tellsRounds'>,
): Refined {
  const helps = helpedBy(event, session, { sibling, traits });
  const change =
    helps === null
      ? (roundChange(event, session, tellsRounds) ??
        limitChange(event, session, limits, traits) ??
        changeOf(event, session, traits))
      : helperThread(event, helps);
  if (change === null) return { event, helps, decision: null };
  const { kind, reason } = change;
  const isFailure = kind === 'turn.failed';
  const wokeItself = event.kind === 'prompt' && kind === 'activity';
  return {
    event: {
      ...event,
      kind,
      failed: isFailure,
      subject: isWaiting(kind) ? event.subject : null,
      ...(wokeItself && { wokeItself }),
    },
    helps,
    decision: { stage: 'classify', verdict: 'note', reason: `Taken for ${kind}: ${reason}` },
  };
}

/**
 * The end of a turn after which the session wakes itself is silent, unless a person began the turn although they knew of
 * the schedule: then they wait for its end.
 */
function roundChange(
  { kind, wakes, backgroundWork, message }: HookEvent,
  session: Session | null,
  tellsRounds: boolean,
): Refinement | null {
  // Claude Code 2.1.332 documents a source of such prompts, and does not send it.
  if (
    kind === 'prompt' &&
    message !== null &&
    session?.schedule?.prompts.includes(promptMark(message)) === true
  )
    return { kind: 'activity', reason: 'the session woke itself with this prompt' };
  if (wakes === undefined || kind !== 'activity' || backgroundWork) return null;
  if (session?.schedule?.prompted === true)
    return { kind: 'turn.done', reason: 'a person began this turn, between two rounds' };
  return tellsRounds ? { kind: 'turn.done', reason: 'alerts.rounds is "each"' } : null;
}

function changeOf(
  event: HookEvent,
  session: Session | null,
  traits: AgentTraits,
): Refinement | null {
  const particular = traits.refine?.(event, session) ?? null;
  if (particular !== null || session === null) return particular;
  if (isIdleReminder(event)) return idleChange(event, session, traits);
  if (event.kind === 'turn.done') return endChange(event, session, traits);
  return event.failed ? failureChange(event, session) : null;
}

function idleChange(
  { notificationType }: HookEvent,
  { state, lastKind }: Session,
  { idlesPromptly = false }: AgentTraits,
): Refinement | null {
  const isBetweenTurns = state === 'done' || state === 'failed' || state === 'paused';
  if (isBetweenTurns && (lastKind !== 'session.start' || idlesPromptly)) {
    return {
      kind: 'activity',
      reason: 'a reminder of a turn whose end was already reported, or was short',
    };
  }
  const isOver = (state === 'working' || state === 'waiting') && notificationType !== null;
  if (!isOver || !idlesPromptly) return null;
  return {
    kind: 'turn.interrupted',
    reason: 'the agent is at its prompt, and its turn did not report an end',
  };
}

function endChange(
  { at }: HookEvent,
  { state, stateSince, turnStartedAt, lastKind }: Session,
  { endsTwice = false }: AgentTraits,
): Refinement | null {
  if (turnStartedAt !== null || at - stateSince > SAME_END_MS) return null;
  if (state === 'failed') return { kind: 'activity', reason: 'the turn has failed already' };
  const isEnded = lastKind === 'turn.interrupted' || endsTwice;
  if (state !== 'done' || !isEnded || lastKind === 'session.start') return null;
  return { kind: 'activity', reason: 'the turn has ended already' };
}

/** One turn fails once, whatever retries and, much later, the end of the session report. */
function failureChange(
  { kind, at }: HookEvent,
  { state, stateSince, turnStartedAt }: Session,
): Refinement | null {
  if (state !== 'failed' || turnStartedAt !== null) return null;
  if (kind !== 'session.end' && at - stateSince > RETRIES_MS) return null;
  const reason = 'the failure of the turn was already reported';
  return { kind: kind === 'turn.failed' ? 'activity' : kind, reason };
}

/** Longest time since the last hook of a session for an event to count as its helper's, ms. */
const HEARD_LATELY_MS = 600_000;

/** The session that a thread without hooks works for. A user's session is known by its hooks, if those are trusted. */
function helpedBy(
  { event, at }: HookEvent,
  session: Session | null,
  { sibling, traits }: { readonly sibling: Memory['sibling']; readonly traits: AgentTraits },
): Session | null {
  if (event !== traits.helperEvent || session !== null) return null;
  const found = sibling?.() ?? null;
  return found !== null && Math.abs(at - found.lastEventAt) < HEARD_LATELY_MS ? found : null;
}

function helperThread({ kind }: HookEvent, { key }: Session): Refinement {
  return {
    kind: kind === 'turn.done' ? 'subagent.done' : kind,
    reason: `a thread that works for session ${key}, reported by no hook`,
  };
}
