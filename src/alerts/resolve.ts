import type { AgentTraits } from '../core/agent/agent-traits.ts';
import type { Alert, Answered, Cancellation } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import { type HookEvent, type Kind, isWaiting } from '../core/hook-event.ts';

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
    earlier,
    traits,
    programChannels,
  }: {
    readonly question: HookEvent | null;
    readonly traits: AgentTraits;
    /** The closed alert of the request that the event answers. */
    readonly earlier: Alert | null;
    readonly programChannels: readonly string[];
  },
): Resolved | null {
  const isEarlier = earlier !== null;
  if (alert === null || !isAnswerTo(event, alert, { question, isEarlier, traits })) return null;
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

/** What is known about the request for an answer. */
export interface AskedBefore {
  /** The event that asked; null: unknown. */
  readonly question: HookEvent | null;
  /** Whether the call that ended was requested before, by another request. */
  readonly isEarlier: boolean;
  /** Of the agent of the session. */
  readonly traits: AgentTraits;
}

/** Whether an event shows that what a session waits for is over. */
export function isAnswerTo(
  event: HookEvent,
  asking: Asking,
  { question, isEarlier, traits }: AskedBefore,
): boolean {
  const isLife = isSignOfLife(event, asking, traits) || isWorkersCall(event, question);
  // One that was opened after the event came is from before the clock was set back.
  const isOlder = event.at < asking.openedAt && asking.openedAt <= event.receivedAt;
  if (!isLife || isOlder) return false;
  return question === null || !isUnrelated(question, event, { isEarlier, traits });
}

/**
 * The deliveries held for an answer, to cancel. The end of a turn and a prompt answer every request of the session, also
 * superseded ones; a tool call answers one.
 *
 * @param answered the alert of that one
 */
export function answeredBy(event: HookEvent, answered: Alert | null): Answered | null {
  const isAll = endsOfWaiting.includes(event.kind);
  if (answered === null && !isAll) return null;
  return {
    alertId: isAll ? null : (answered?.id ?? null),
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
 * parallel, and subagents may work in the background.
 *
 * A call with another input may be the requested one, because people change an input in the terminal. It is not while
 * another request with that input is known, or a call may have been under way; later it counts as the answer, so that an
 * alert does not stay open.
 */
function isUnrelated(
  question: HookEvent,
  event: HookEvent,
  { isEarlier, traits }: Omit<AskedBefore, 'question'>,
): boolean {
  // The record says that no dialog is open.
  if (event.subagent || event.facts.seen !== undefined) return false;
  const isAside = question.subagent && traits.asksAside === true;
  if (event.kind === 'activity') return isAside;
  if (event.kind !== 'tool.done') return false;
  if (isAside) return true;
  if (event.subject !== null && event.subject === question.subject) return false;
  // A plugin's event names the request itself instead of a tool.
  if (event.tool === null) return question.tool === null && event.subject !== null;
  if (question.tool === null || (question.tool === event.tool && !isComparable(question, event))) {
    return false;
  }
  return isEarlier || wasUnderWay(question, event);
}

/** False if an input is unknown, or has the answer in it, so that it always differs from the requested one. */
function isComparable({ kind, asked, subject }: HookEvent, event: HookEvent): boolean {
  const isAnswer = kind === 'needs.input' || asked?.action === 'plan';
  return subject !== null && event.subject !== null && !isAnswer;
}

function wasUnderWay(question: HookEvent, { at, toolMs }: HookEvent): boolean {
  return at - question.at < UNDER_WAY_MS || (toolMs !== undefined && at - toolMs < question.at);
}

/** True for an event that only follows an answer, or that makes an answer pointless. */
function isSignOfLife(
  event: HookEvent,
  alert: Asking,
  { hidesCaller = false }: AgentTraits,
): boolean {
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
    // A subagent's call answers only its own question.
    case 'tool.done':
      return !event.subagent || hidesCaller || isAbout(event, alert);
    case 'activity':
      return event.backgroundWork || event.wakes !== undefined;
    case 'needs.permission':
    case 'needs.input':
    case 'subagent.done':
    case 'message':
    case 'notice':
    case 'digest':
    case 'test':
      return false;
  }
}

const endsOfPeople: readonly (string | null)[] = ['clear', 'logout', 'prompt_input_exit'];

/** The user ended the session at its prompt, and saw the text above it. */
function isLeftByPerson({ reason, attended }: HookEvent): boolean {
  return attended !== false && endsOfPeople.includes(reason);
}

/** A teammate's request comes as a notification, which names only the tool. */
function isWorkersCall({ kind, subagent, tool }: HookEvent, question: HookEvent | null): boolean {
  if (kind !== 'tool.done' || !subagent || question === null || tool === null) return false;
  return question.subagent && question.notificationType !== null && question.tool === tool;
}

function isAbout({ subject }: HookEvent, alert: Asking): boolean {
  return subject !== null && subject === alert.subject;
}
