import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { isWaiting, RECOVERABLE } from '../core/hook-event.ts';
import type { Session } from '../core/session.ts';
import type { Memory } from '../core/store.ts';
import { isIdleReminder } from './repeat.ts';

export interface Refined {
  readonly event: HookEvent;
  /** The session the event is news of, where it comes from a helper thread of that; null: its own. */
  readonly helps: Session | null;
  /** Null where the payload alone said what the event means. */
  readonly decision: Decision | null;
}

/** What a rule makes of an event, and why. */
type Change = Pick<HookEvent, 'kind'> & { readonly reason: string };

/** An agent tells of one failed or interrupted turn several times within this time, ms. */
const SAME_END_MS = 10_000;
/** It tries a failed request again for as long as this, ms. */
const RETRIES_MS = 120_000;
/** A request that is tried again waits longer than this before it succeeds, ms. */
const GIVEN_UP_MS = 1_000;

/** Says what an event means in the light of what its session did before: payloads are read one by one. */
export function refine(event: HookEvent, { session, sibling }: Memory): Refined {
  const helps = helpedBy(event, session, sibling);
  const change = helps === null ? changeOf(event, session) : helperThread(event, helps);
  if (change === null) return { event, helps, decision: null };
  const { kind, reason } = change;
  const isFailure = kind === 'turn.failed';
  return {
    event: { ...event, kind, failed: isFailure, subject: isWaiting(kind) ? event.subject : null },
    helps,
    decision: { stage: 'classify', verdict: 'note', reason: `Taken for ${kind}: ${reason}` },
  };
}

function changeOf(event: HookEvent, session: Session | null): Change | null {
  if (isWaiting(event.kind) && event.agent === 'claude' && event.attended === false) {
    return {
      kind: 'activity',
      reason: 'nobody sits at the session, and the agent refuses by itself',
    };
  }
  if (isRecoverable(event)) {
    return { kind: 'activity', reason: 'the agent tries the request again' };
  }
  if (session === null) return null;
  if (isIdleReminder(event)) return idleChange(event, session);
  if (event.kind === 'turn.done') return endChange(event, session);
  return event.failed ? failureChange(event, session) : null;
}

/** Copilot CLI calls each error so, and says nothing when it gives up. */
function isRecoverable({ kind, reason }: HookEvent): boolean {
  return kind === 'turn.failed' && reason === RECOVERABLE;
}

/** Agents that send `idle_prompt` as soon as they are at their prompt, after a cancelled turn too. */
const promptlyIdle: readonly string[] = ['droid', 'qwen'];

function idleChange(
  { agent, notificationType }: HookEvent,
  { state, lastKind }: Session,
): Change | null {
  const isPrompt = promptlyIdle.includes(agent);
  // They send it at the start of a session as well, where nothing was asked for yet.
  if ((state === 'done' || state === 'failed') && (lastKind !== 'session.start' || isPrompt)) {
    return { kind: 'activity', reason: 'it reminds of a turn whose end was told, or was short' };
  }
  const isOver = (state === 'working' || state === 'waiting') && notificationType !== null;
  if (!isOver || !isPrompt) return null;
  return {
    kind: 'turn.interrupted',
    reason: 'the agent is at its prompt, and its turn had no end',
  };
}

function endChange({ agent, at }: HookEvent, session: Session): Change | null {
  const { state, stateSince, turnStartedAt, lastKind, lastEventAt } = session;
  if (agent === 'copilot' && lastKind === 'turn.failed' && at - lastEventAt < GIVEN_UP_MS) {
    return { kind: 'turn.failed', reason: 'its last request has just failed' };
  }
  if (agent === 'droid' && state === 'ended') {
    return { kind: 'activity', reason: 'the session was left while the turn ran' };
  }
  if (turnStartedAt !== null || at - stateSince > SAME_END_MS) return null;
  if (state === 'failed') return { kind: 'activity', reason: 'the turn has failed already' };
  const isInterrupted = lastKind === 'turn.interrupted' || agent === 'opencode';
  if (state !== 'done' || !isInterrupted || lastKind === 'session.start') return null;
  return { kind: 'activity', reason: 'the turn has ended already' };
}

/** One turn fails once, whatever retries and the end of the session say of it. */
function failureChange(
  { kind, at }: HookEvent,
  { state, stateSince, turnStartedAt }: Session,
): Change | null {
  if (state !== 'failed' || turnStartedAt !== null || at - stateSince > RETRIES_MS) return null;
  const reason = 'the failure of the turn was told';
  return { kind: kind === 'turn.failed' ? 'activity' : kind, reason };
}

/** How long ago the hooks of a session may have been heard for its helpers to be known as such, ms. */
const HEARD_LATELY_MS = 600_000;

/**
 * Codex runs threads of its own, which make a title or work for a session. They have no hooks, so only `notify` tells of them; a
 * session of a person is known by its hooks, where those are trusted.
 */
function helpedBy(
  { agent, event, at }: HookEvent,
  session: Session | null,
  sibling: Memory['sibling'],
): Session | null {
  if (agent !== 'codex' || event !== 'agent-turn-complete' || session !== null) return null;
  const found = sibling?.() ?? null;
  return found !== null && Math.abs(at - found.lastEventAt) < HEARD_LATELY_MS ? found : null;
}

function helperThread({ kind }: HookEvent, { key }: Session): Change {
  return {
    kind: kind === 'turn.done' ? 'subagent.done' : kind,
    reason: `a thread that works for session ${key}: no hook was heard of it`,
  };
}
