import { wholeRequest } from '../core/asked.ts';
import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { cutText } from '../core/sanitize.ts';
import type { Session, SessionState } from '../core/session.ts';

const FIRST_PROMPT_LENGTH = 200;

export interface Tracked {
  readonly session: Session;
  readonly decision: Decision;
}

/**
 * Follows a session through its states (see core/session.ts). Hooks run in parallel and may arrive reversed: an event
 * that happened before the session entered its state leaves the state as it is.
 */
export function track(before: Session | null, event: HookEvent): Tracked {
  const session = before === null ? firstSight(event) : next(before, event);
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
  const state = stateAfter(event) ?? 'working';
  return {
    key: event.sessionKey,
    machine: event.machine,
    agent: event.agent,
    sessionId: event.sessionId,
    state,
    stateSince: event.at,
    startedAt: event.at,
    ...turnAfter(event, { turnStartedAt: null, lastTurnMs: null }),
    lastEventAt: event.at,
    lastKind: event.kind,
    lastEventId: event.id,
    waitingFor: state === 'waiting' ? waitingText(event) : null,
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

function next(before: Session, event: HookEvent): Session {
  const isLate = event.at < before.stateSince;
  return {
    ...before,
    ...(isLate ? {} : stateFields(before, event)),
    lastEventAt: Math.max(before.lastEventAt, event.at),
    lastKind: event.kind,
    lastEventId: event.id,
    project: event.project ?? before.project,
    cwd: event.cwd ?? before.cwd,
    title: event.title ?? before.title,
    firstPrompt: before.firstPrompt ?? promptOf(event),
    permissionMode: event.permissionMode ?? before.permissionMode,
    attended: event.attended ?? before.attended,
    facts: Object.keys(event.facts).length > 0 ? event.facts : before.facts,
  };
}

function stateFields(before: Session, event: HookEvent): Partial<Session> {
  const entered = stateAfter(event);
  const turn = turnAfter(event, before);
  // Working goes on working: the state is as old as its first sign. Any other state is entered anew by each event.
  if (entered === null || (entered === 'working' && before.state === 'working')) return turn;
  return {
    ...turn,
    state: entered,
    stateSince: event.at,
    waitingFor: entered === 'waiting' ? waitingText(event) : null,
  };
}

/** The state an event leads to; null where it says nothing about it. */
function stateAfter(event: HookEvent): SessionState | null {
  switch (event.kind) {
    case 'prompt':
      return 'working';
    case 'needs.permission':
    case 'needs.input':
      return 'waiting';
    case 'turn.done':
    case 'turn.interrupted':
      return 'done';
    case 'turn.failed':
      return 'failed';
    case 'session.end':
      return 'ended';
    // Compaction starts a session anew under the same id, in the middle of its work.
    case 'session.start':
      return event.source === 'compact' ? null : 'done';
    // A subagent's call says nothing about a question the main conversation asks meanwhile.
    case 'tool.done':
      return event.subagent ? null : 'working';
    case 'activity':
      return event.backgroundWork ? 'working' : null;
    case 'subagent.done':
    case 'notice':
    case 'notice.over':
    case 'digest':
      return null;
  }
}

type Turn = Pick<Session, 'turnStartedAt' | 'lastTurnMs'>;

function turnAfter(event: HookEvent, { turnStartedAt, lastTurnMs }: Turn): Turn {
  switch (event.kind) {
    case 'prompt':
      return { turnStartedAt: event.at, lastTurnMs };
    // Where no prompt event is registered, the first tool call is the earliest sign of the turn.
    case 'tool.done':
      return { turnStartedAt: turnStartedAt ?? event.at, lastTurnMs };
    case 'turn.done':
    case 'turn.failed':
    case 'turn.interrupted':
      return {
        turnStartedAt: null,
        lastTurnMs: turnStartedAt === null ? null : event.at - turnStartedAt,
      };
    case 'session.end':
      return { turnStartedAt: null, lastTurnMs };
    case 'session.start':
    case 'needs.permission':
    case 'notice':
    case 'notice.over':
    case 'digest':
    case 'needs.input':
    case 'subagent.done':
    case 'activity':
      return { turnStartedAt, lastTurnMs };
  }
}

function waitingText(event: HookEvent): string | null {
  return event.asked === null ? (event.message ?? event.tool) : wholeRequest(event.asked);
}

function promptOf(event: HookEvent): string | null {
  if (event.kind !== 'prompt' || event.message === null) return null;
  return cutText(event.message, FIRST_PROMPT_LENGTH);
}
