import type { Alert, Answered, Cancellation } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { HookEvent, Kind } from '../core/hook-event.ts';
import { isWaiting } from '../core/hook-event.ts';

export interface Resolved {
  readonly alert: Alert;
  readonly cancel: Cancellation;
  readonly decision: Decision;
}

/**
 * Closes the live alert when the session shows a sign of life: someone answered. Messages to people not sent yet are
 * cancelled; program channels still get theirs.
 *
 * @returns null when the event is not a sign of life
 */
export function resolve(
  event: HookEvent,
  alert: Alert | null,
  {
    question,
    programChannels,
  }: { readonly question: HookEvent | null; readonly programChannels: readonly string[] },
): Resolved | null {
  if (alert === null || !isAnswerTo(event, alert, question)) return null;
  return {
    alert: { ...alert, state: 'resolved', closedAt: event.at, closedBy: event.id },
    cancel: {
      alertId: alert.id,
      fromStep: 0,
      exceptChannels: programChannels,
      reason: `Answered before it was sent: ${event.kind} (event ${event.id}) came after it`,
    },
    decision: {
      stage: 'resolve',
      verdict: 'note',
      reason: `Resolves the alert of event ${alert.eventId} (${alert.kind})`,
    },
  };
}

type Asking = Pick<Alert, 'kind' | 'subject' | 'openedAt'>;

/**
 * Whether an event shows that what a session waits for is over.
 *
 * @param question the event that asked; null: unknown
 */
export function isAnswerTo(event: HookEvent, asking: Asking, question: HookEvent | null): boolean {
  if (!isSignOfLife(event, asking) || event.at < asking.openedAt) return false;
  return question === null || !isUnrelated(question, event);
}

/**
 * The settling deliveries to cancel. The end of a turn and a prompt answer every request of the session, also
 * superseded ones; a tool call answers one.
 */
export function answeredBy(event: HookEvent, closed: Resolved | null): Answered | null {
  const isAll = endsOfWaiting.includes(event.kind);
  if (closed === null && !isAll) return null;
  return {
    alertId: isAll ? null : (closed?.alert.id ?? null),
    sessionKey: event.sessionKey,
    at: event.at,
    reason: `Answered before a person was needed: ${event.kind} (event ${event.id}) came after it`,
  };
}

const endsOfWaiting: readonly Kind[] = [
  'prompt',
  'turn.done',
  'turn.failed',
  'turn.interrupted',
  'session.end',
];

/** A tool call already running when a question was asked may end up to this much later, ms. */
const UNDER_WAY_MS = 10_000;

/**
 * Whether the event ends another call than the requested one, which answers nothing: agents run several calls in
 * parallel, and subagents of Claude Code work in the background.
 */
function isUnrelated(question: HookEvent, event: HookEvent): boolean {
  if (event.subagent) return false;
  const isAside = question.subagent && question.agent === 'claude';
  if (event.kind === 'activity') return isAside;
  if (event.kind !== 'tool.done') return false;
  if (isAside) return true;
  const isOther = question.tool !== null && event.tool !== null && question.tool !== event.tool;
  return isOther && event.at - question.at < UNDER_WAY_MS;
}

/** True for an event that only follows an answer, or that makes an answer pointless. */
function isSignOfLife(event: HookEvent, alert: Asking): boolean {
  switch (event.kind) {
    case 'prompt':
    case 'turn.done':
    case 'turn.failed':
    case 'turn.interrupted':
    case 'notice.over':
      return true;
    // A headless run ends right after its turn, so its end does not answer a "done" or "failed" that no one has seen
    // yet.
    case 'session.end':
      return isWaiting(alert.kind) || isLeftByPerson(event);
    case 'session.start':
      return event.source !== 'compact';
    // A subagent's call answers only its own question. droid does not report which agent made a call.
    case 'tool.done':
      return !event.subagent || event.agent === 'droid' || isAbout(event, alert);
    case 'activity':
      return event.backgroundWork;
    case 'needs.permission':
    case 'needs.input':
    case 'subagent.done':
    case 'notice':
    case 'digest':
    case 'test':
      return false;
  }
}

const endsOfPeople: readonly string[] = ['clear', 'logout', 'prompt_input_exit'];

/** The user ended the session at its prompt, and saw the text above it. */
function isLeftByPerson({ reason, attended }: HookEvent): boolean {
  return attended !== false && endsOfPeople.includes(reason ?? '');
}

function isAbout({ subject }: HookEvent, alert: Asking): boolean {
  return subject !== null && subject === alert.subject;
}
