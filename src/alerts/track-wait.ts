import { type HookEvent, isWaiting } from '../core/hook-event.ts';
import type { Session } from '../core/session.ts';
import { type OpenWait, type WaitChange, type WaitEnd, waitKindOf } from '../core/waiting.ts';
import { repeat } from './repeat.ts';
import { type AskedBefore, isAnswerTo } from './resolve.ts';

/**
 * What an event means for the waiting time of its session, whether or not anyone is notified. It begins a wait, ends the
 * open one, or both.
 *
 * @param open the open wait of the session; null without one
 * @param session the session after the event; null if it is not tracked
 */
export function trackWait(
  event: HookEvent,
  open: OpenWait | null,
  {
    session,
    isEarlier,
    traits,
  }: { readonly session: Session | null } & Pick<AskedBefore, 'isEarlier' | 'traits'>,
): WaitChange | null {
  if (session === null || (open !== null && event.at < open.since)) return null;
  if (open === null) {
    const begun = begunBy(event, session);
    return begun === null ? null : { ended: null, begun };
  }
  const change = isWaiting(open.kind)
    ? afterRequest(event, open, { session, isEarlier, traits })
    : afterTurn(event, session);
  return change;
}

/** Without a session id several sessions share a key; no person waits for a headless session to ask. */
function begunBy(event: HookEvent, session: Session): WaitChange['begun'] {
  const kind = waitKindOf(event.kind);
  if (kind === null || event.sessionId === null || session.attended === false) return null;
  // An event that is older than the state of the session changes nothing.
  if (session.stateSince > event.at) return null;
  return { kind, since: event.at };
}

function afterRequest(
  event: HookEvent,
  open: OpenWait,
  {
    session,
    isEarlier,
    traits,
  }: { readonly session: Session } & Pick<AskedBefore, 'isEarlier' | 'traits'>,
): WaitChange | null {
  const question = open.question();
  const asked = {
    kind: open.kind,
    openedAt: open.since,
    subject: question?.subject ?? null,
    event: question?.event ?? '',
    eventId: question?.id ?? '',
  };
  if (isWaiting(event.kind)) {
    if (repeat(event, asked) !== null) return null;
    const begun = begunBy(event, session);
    if (begun === null) return null;
    return { ended: { until: event.at, ending: 'replaced', via: null }, begun };
  }
  if (!isAnswerTo(event, asked, { question, isEarlier, traits })) return null;
  const isOver = event.kind === 'session.end' || event.kind === 'session.start';
  if (isOver) return { ended: { until: event.at, ending: 'ended', via: null }, begun: null };
  const startedAt = startOfCall(event, question);
  return {
    ended: {
      until: Math.max(open.since, startedAt ?? event.at),
      ending: startedAt === null && event.facts.seen === undefined ? 'activity' : 'terminal',
      via: null,
      ...answerIn(event, question),
    },
    begun: begunBy(event, session),
  };
}

/** The end of the requested call shows that it was allowed, an interruption that it was not. */
function answerIn(event: HookEvent, question: HookEvent | null): Pick<WaitEnd, 'answer'> {
  if (question?.kind !== 'needs.permission') return {};
  if (event.kind === 'turn.interrupted') return { answer: 'denied' };
  const isIts = event.kind === 'tool.done' && event.tool === question.tool;
  return isIts ? { answer: 'allowed' } : {};
}

/**
 * When the requested call began, which is the moment of the answer: the agent reports a call when it is over, with its
 * duration, which does not include the wait. Null: the event is about something else, or the duration is unknown.
 */
function startOfCall(event: HookEvent, question: HookEvent | null): number | null {
  if (event.kind !== 'tool.done' || event.toolMs === undefined) return null;
  const isSame = question?.tool !== null && question?.tool === event.tool;
  return isSame ? event.at - Math.round(event.toolMs) : null;
}

function afterTurn(event: HookEvent, session: Session): WaitChange | null {
  const end = (ending: 'prompt' | 'resumed' | 'ended'): WaitChange => ({
    ended: { until: event.at, ending, via: null },
    begun: begunBy(event, session),
  });
  switch (event.kind) {
    case 'prompt':
      return end('prompt');
    case 'session.end':
    case 'session.start':
      return event.source === 'compact' ? null : end('ended');
    case 'needs.permission':
    case 'needs.input':
    case 'turn.done':
    case 'turn.failed':
    case 'turn.interrupted':
      return end('resumed');
    case 'tool.done':
    case 'activity':
      return session.state === 'working' ? end('resumed') : null;
    case 'subagent.done':
    case 'message':
    case 'notice':
    case 'notice.over':
    case 'digest':
    case 'test':
      return null;
  }
}
