import type { AgentTraits } from '../core/agent/agent-traits.ts';
import { factsAfter } from '../core/agent/witness.ts';
import { wholeRequest } from '../core/asked.ts';
import type { Decision } from '../core/decision.ts';
import { type FileChange, type HookEvent, type WakeUp, withChanges } from '../core/hook-event.ts';
import { cutText } from '../text/sanitize.ts';
import { limitAfter } from './usage-limit.ts';
import type { Schedule, Session, SessionState } from '../core/session.ts';
import { nextCron } from '../platform/next-cron.ts';

const FIRST_PROMPT_LENGTH = 200;

export interface Tracked {
  readonly session: Session;
  readonly decision: Decision;
}

type Question = 'answered' | 'open' | null;

/**
 * Tracks a session through its states (see core/session.ts). Hooks run in parallel and may arrive reversed: an event
 * older than the current state does not change it.
 *
 * @param question what became of the question the session waits for, which a subagent may have asked; null: there is none
 */
export function track(
  before: Session | null,
  event: HookEvent,
  { question = null, traits = {} }: { question?: Question; traits?: AgentTraits } = {},
): Tracked {
  const tracked = before === null ? firstSight(event) : next(before, event, question);
  const isLate = before !== null && isOlder(event, before);
  const usageLimit = isLate
    ? tracked.usageLimit
    : limitAfter(event, before?.usageLimit ?? null, traits);
  const session = { ...tracked, usageLimit };
  return {
    session,
    decision: {
      stage: 'track',
      verdict: 'note',
      reason: `Session ${session.key}: ${before?.state ?? 'new'} -> ${session.state}`,
    },
  };
}

function firstSight(event: HookEvent): Session {
  const state = stateAfter(event, null) ?? 'working';
  return {
    key: event.sessionKey,
    machine: event.machine,
    agent: event.agent,
    sessionId: event.sessionId,
    state,
    stateSince: event.at,
    startedAt: event.at,
    ...turnAfter(event, { turnStartedAt: null, lastTurnMs: null, idleSince: null }),
    changes: withChanges([], event.changes ?? []),
    schedule: scheduleAfter(event, null),
    usageLimit: null,
    lastEventAt: event.at,
    lastKind: event.kind,
    lastEventId: event.id,
    waitingFor: reasonOf(state, event),
    project: event.project,
    cwd: event.cwd,
    title: event.title,
    firstPrompt: promptOf(event),
    permissionMode: event.permissionMode,
    attended: event.attended,
    facts: event.facts,
    lookedUp: null,
  };
}

function next(before: Session, event: HookEvent, question: Question): Session {
  const isLate = isOlder(event, before);
  return {
    ...before,
    ...(isLate ? {} : stateFields(before, event, question)),
    changes: changesAfter(before, event),
    lastEventAt: Math.max(before.lastEventAt, event.at),
    lastKind: event.kind,
    lastEventId: event.id,
    project: event.project ?? before.project,
    cwd: event.cwd ?? before.cwd,
    title: event.title ?? before.title,
    firstPrompt: before.firstPrompt ?? promptOf(event),
    permissionMode: event.permissionMode ?? before.permissionMode,
    attended: event.attended ?? before.attended,
    facts: factsAfter(before.facts, event.facts),
  };
}

/** A state that begins after the event came is from before the clock was set back. */
function isOlder({ at, receivedAt }: HookEvent, { stateSince }: Session): boolean {
  return at < stateSince && stateSince <= receivedAt;
}

function stateFields(before: Session, event: HookEvent, question: Question): Partial<Session> {
  const isBeside = question === 'open' && (event.kind === 'activity' || event.kind === 'tool.done');
  const after = isBeside ? null : stateAfter(event, before.state);
  const entered = question === 'answered' ? 'working' : after;
  const turn = turnAfter(event, {
    ...before,
    turnStartedAt: entered === null ? before.turnStartedAt : withoutWait(before, event),
    idleSince: isIdle(before.state) ? before.stateSince : null,
  });
  // A session that keeps working keeps the time of its first sign. Any other state is entered again by each event.
  const schedule = scheduleAfter(event, before.schedule);
  if (entered === null || (entered === 'working' && before.state === 'working'))
    return { ...turn, schedule };
  return {
    ...turn,
    schedule,
    state: entered,
    stateSince: event.at,
    waitingFor: reasonOf(entered, event),
  };
}

/**
 * The start of the turn, moved by the time a question was open, so that the length of a turn is the time the agent
 * worked. A permission is answered before its tool runs, so if the agent reports the tool's duration, it counts as
 * work.
 */
function withoutWait(
  { state, stateSince, turnStartedAt, lastKind }: Session,
  { at, toolMs = 0 }: HookEvent,
): number | null {
  if (state !== 'waiting' || turnStartedAt === null) return turnStartedAt;
  const workedMs = lastKind === 'needs.permission' ? toolMs : 0;
  return turnStartedAt + Math.max(0, at - stateSince - workedMs);
}

/** A turn starts with a prompt, or with its first tool call if no prompt was seen. */
function changesAfter(
  { changes, turnStartedAt }: Session,
  event: HookEvent,
): readonly FileChange[] {
  const begins = event.kind === 'prompt' || (event.kind === 'tool.done' && turnStartedAt === null);
  return withChanges(begins ? [] : changes, event.changes ?? []);
}

function isIdle(state: SessionState): boolean {
  return state === 'done' || state === 'failed' || state === 'paused';
}

function scheduleAfter(event: HookEvent, before: Schedule | null): Schedule | null {
  const { kind, wakes, subagent, backgroundWork, wokeItself } = event;
  if (subagent) return before;
  if (wakes !== undefined)
    return {
      until: nextWake(event, wakes),
      round: (before?.round ?? 0) + 1,
      prompted: false,
      prompts: wakes.flatMap(({ prompt }) => prompt ?? []),
    };
  if (kind === 'turn.done' || kind === 'session.end' || backgroundWork) return null;
  const isPrompt = kind === 'prompt' || wokeItself === true;
  return before !== null && isPrompt ? { ...before, prompted: kind === 'prompt' } : before;
}

const DAY_MS = 86_400_000;

/** Null if any of the times cannot be read: it may be the next. Those of another machine are in its time zone. */
function nextWake({ at, machine }: HookEvent, wakes: readonly WakeUp[]): number | null {
  const times = wakes.map(({ cron }) => {
    const time = machine === null ? nextCron(cron, at) : null;
    // A date that has just passed is not meant for the next year: the turn lasted beyond it, so the round is due.
    return time !== null && time - at > 364 * DAY_MS ? nextCron(cron, at - DAY_MS) : time;
  });
  return times.reduce((first, time) =>
    first === null || time === null ? null : Math.min(first, time),
  );
}

/** The state after an event; null if the event does not affect it. */
function stateAfter(event: HookEvent, before: SessionState | null): SessionState | null {
  switch (event.kind) {
    case 'prompt':
      return 'working';
    case 'needs.permission':
    case 'needs.input':
      return 'waiting';
    case 'turn.done':
      return event.wakes === undefined ? 'done' : 'paused';
    case 'turn.interrupted':
      return 'done';
    case 'turn.failed':
      return 'failed';
    case 'session.end':
      return 'ended';
    // Compaction restarts a session under the same id, in the middle of its work.
    case 'session.start':
      return event.source === 'compact' ? null : 'done';
    // A subagent's call does not answer a question of the main conversation.
    case 'tool.done':
      return event.subagent ? null : 'working';
    case 'activity':
      if (event.backgroundWork) return 'working';
      if (event.wakes !== undefined) return 'paused';
      return before !== null && isIdle(before) && beginsTurn(event) ? 'working' : null;
    case 'subagent.done':
    case 'message':
    case 'notice':
    case 'notice.over':
    case 'digest':
    case 'test':
      return null;
  }
}

const promptEvents: readonly string[] = [
  'userpromptsubmit',
  'userpromptsubmitted',
  'beforeagent',
  'beforesubmitprompt',
];

/** A prompt that no one typed, such as a finished background task: the agent works again without an answer. */
function beginsTurn({ event, subagent }: HookEvent): boolean {
  return !subagent && promptEvents.includes(event.toLowerCase());
}

type Turn = Pick<Session, 'turnStartedAt' | 'lastTurnMs'>;

/** If two turns are further apart than this, the length of an unseen turn is unknown, ms. */
const UNSEEN_TURN_MS = 60_000;

/**
 * @param before includes the time since which the agent was idle: a turn whose start was not seen (`droid exec` sends
 *   no prompt event) is at most that long
 */
function turnAfter(
  event: HookEvent,
  { turnStartedAt, lastTurnMs, idleSince }: Turn & { readonly idleSince: number | null },
): Turn {
  switch (event.kind) {
    case 'prompt':
      return { turnStartedAt: event.at, lastTurnMs };
    // Without a registered prompt event, the first tool call is the earliest sign of the turn.
    case 'tool.done':
      return { turnStartedAt: turnStartedAt ?? event.at, lastTurnMs };
    case 'turn.done':
    case 'turn.failed':
    case 'turn.interrupted':
      return {
        turnStartedAt: null,
        lastTurnMs:
          turnStartedAt === null
            ? unseenLength(event.at, idleSince)
            : Math.max(0, event.at - turnStartedAt),
      };
    case 'session.end':
      return { turnStartedAt: null, lastTurnMs };
    case 'activity':
      if (turnStartedAt !== null || !beginsTurn(event)) return { turnStartedAt, lastTurnMs };
      return { turnStartedAt: resumedTurn(event, lastTurnMs, idleSince) ?? event.at, lastTurnMs };
    case 'session.start':
    case 'needs.permission':
    case 'notice':
    case 'notice.over':
    case 'digest':
    case 'test':
    case 'needs.input':
    case 'subagent.done':
    case 'message':
      return { turnStartedAt, lastTurnMs };
  }
}

/**
 * The start of the turn that goes on with the report of its background task, although the agent ended it before: the
 * person waits since then. Null: another turn begins.
 */
function resumedTurn(
  { reportsTask }: HookEvent,
  lastTurnMs: number | null,
  idleSince: number | null,
): number | null {
  if (reportsTask !== true || lastTurnMs === null || idleSince === null) return null;
  return idleSince - lastTurnMs;
}

function unseenLength(at: number, idleSince: number | null): number | null {
  return idleSince === null || at - idleSince > UNSEEN_TURN_MS ? null : at - idleSince;
}

/** What the session waits for, or why its turn failed. */
function reasonOf(state: SessionState, event: HookEvent): string | null {
  if (state === 'failed') return event.message ?? event.reason;
  if (state !== 'waiting') return null;
  return event.asked === null ? (event.message ?? event.tool) : wholeRequest(event.asked);
}

function promptOf(event: HookEvent): string | null {
  if (event.kind !== 'prompt' || event.message === null) return null;
  return cutText(event.message, FIRST_PROMPT_LENGTH);
}
