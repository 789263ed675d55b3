import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { isWaiting, RECOVERABLE } from '../core/hook-event.ts';
import type { Session } from '../core/session.ts';
import type { Memory } from '../core/store.ts';
import { isIdleReminder } from './repeat.ts';

export interface Refined {
  readonly event: HookEvent;
  /** The session that the event's helper thread works for; null for an ordinary event. */
  readonly helps: Session | null;
  /** Null where the payload alone decides the meaning. */
  readonly decision: Decision | null;
}

/** The kind that a rule assigns to an event, and the reason. */
type Change = Pick<HookEvent, 'kind'> & { readonly reason: string };

/** An agent may report one failed or interrupted turn several times within this time, ms. */
const SAME_END_MS = 10_000;
/** It retries a failed request for up to this long, ms. */
const RETRIES_MS = 120_000;
/** A retried request waits longer than this before it succeeds, ms. */
const GIVEN_UP_MS = 1_000;

/** Refines the meaning of an event by the history of its session: payloads are decoded one by one. */
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
      reason: 'the session is unattended, and the agent refuses by itself',
    };
  }
  if (isRecoverable(event)) {
    return { kind: 'activity', reason: 'the agent retries the request' };
  }
  if (session === null) return null;
  if (isTask(event, session)) {
    return { kind: 'subagent.done', reason: 'the session works on a task of another session' };
  }
  if (isIdleReminder(event)) return idleChange(event, session);
  if (event.kind === 'turn.done') return endChange(event, session);
  return event.failed ? failureChange(event, session) : null;
}

/** Copilot CLI marks every error so, and sends no event when it gives up. */
function isRecoverable({ kind, reason }: HookEvent): boolean {
  return kind === 'turn.failed' && reason === RECOVERABLE;
}

/** The first prompt of a subagent of droid; only the start of its session names the session that called it. */
const droidTask = /^# Task Tool Invocation\b/;

function isTask({ agent, kind }: HookEvent, { firstPrompt }: Session): boolean {
  const isEnd = kind === 'turn.done' || kind === 'turn.failed';
  return agent === 'droid' && isEnd && droidTask.test(firstPrompt ?? '');
}

/** Agents that send `idle_prompt` as soon as they are at their prompt, also after a cancelled turn. */
const promptlyIdle: readonly string[] = ['droid', 'qwen'];

function idleChange(
  { agent, notificationType }: HookEvent,
  { state, lastKind }: Session,
): Change | null {
  const isPrompt = promptlyIdle.includes(agent);
  // They also send it at the start of a session, before the first request.
  if ((state === 'done' || state === 'failed') && (lastKind !== 'session.start' || isPrompt)) {
    return {
      kind: 'activity',
      reason: 'a reminder of a turn whose end was already reported, or was short',
    };
  }
  const isOver = (state === 'working' || state === 'waiting') && notificationType !== null;
  if (!isOver || !isPrompt) return null;
  return {
    kind: 'turn.interrupted',
    reason: 'the agent is at its prompt, and its turn did not report an end',
  };
}

function endChange({ agent, at }: HookEvent, session: Session): Change | null {
  const { state, stateSince, turnStartedAt, lastKind, lastEventAt } = session;
  if (agent === 'copilot' && lastKind === 'turn.failed' && at - lastEventAt < GIVEN_UP_MS) {
    return { kind: 'turn.failed', reason: 'its last request has just failed' };
  }
  if (agent === 'droid' && state === 'ended') {
    return { kind: 'activity', reason: 'the user left the session while the turn ran' };
  }
  if (turnStartedAt !== null || at - stateSince > SAME_END_MS) return null;
  if (state === 'failed') return { kind: 'activity', reason: 'the turn has failed already' };
  const isInterrupted = lastKind === 'turn.interrupted' || agent === 'opencode';
  if (state !== 'done' || !isInterrupted || lastKind === 'session.start') return null;
  return { kind: 'activity', reason: 'the turn has ended already' };
}

/** One turn fails once, whatever retries and, much later, the end of the session report. */
function failureChange(
  { kind, at }: HookEvent,
  { state, stateSince, turnStartedAt }: Session,
): Change | null {
  if (state !== 'failed' || turnStartedAt !== null) return null;
  if (kind !== 'session.end' && at - stateSince > RETRIES_MS) return null;
  const reason = 'the failure of the turn was already reported';
  return { kind: kind === 'turn.failed' ? 'activity' : kind, reason };
}

/** Longest time since the last hook of a session for an event to count as its helper's, ms. */
const HEARD_LATELY_MS = 600_000;

/**
 * Codex runs internal threads, which make a title or work for a session. They have no hooks, so only `notify` reports
 * them; a user's session is known by its hooks, if those are trusted.
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
    reason: `a thread that works for session ${key}, reported by no hook`,
  };
}
