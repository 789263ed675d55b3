import type { AnswerTraits } from '../core/agent/agent-traits.ts';
import type { AgentName, HookEvent, Kind } from '../core/hook-event.ts';
import type {
  DecisionChoice,
  Hold,
  HoldPolicy,
  OfferedAnswer,
  Question,
} from '../core/question.ts';
import { durationText } from '../text/duration.ts';

/** What the policy depends on. */
export interface HoldCircumstances {
  readonly agent: AgentName;
  readonly subagent: boolean;
  /** `needs.permission`, or `needs.input` for a question. */
  readonly kind: Kind;
  /** Of the agent; absent: it takes no answers. */
  readonly traits: AnswerTraits | undefined;
}

/**
 * Whether a request is held for an answer from elsewhere; null: its hook is released immediately.
 *
 * Most agents show no prompt while a hook waits, so holding takes something from a person at the terminal: the configuration offers
 * `open` only for those that do.
 */
export function holdFor(
  { agent, subagent, kind, traits }: HoldCircumstances,
  policy: HoldPolicy,
): Hold | null {
  if (traits === undefined) return null;
  if (kind !== 'needs.permission' && traits.takesQuestions !== true) return null;
  const { agents, subagents } = policy;
  const own = subagent ? subagents[agent] : undefined;
  return (own === undefined ? agents[agent] : own) ?? null;
}

/** @param isPresent whether a person is at this machine; null: unknown, which counts as here */
export function mayHold(hold: Hold, isPresent: boolean | null): boolean {
  return hold === 'open' || isPresent === false;
}

export type AcceptedAnswer =
  | { readonly ok: true; readonly question: Question }
  | {
      readonly ok: false;
      /** A sentence without a full stop, for the person whose answer it was. */
      readonly reason: string;
    };

/** Decides about an answer: only the first one to the request that was shown counts, and only what was offered. */
export function acceptAnswer(
  question: Question,
  offered: OfferedAnswer,
  now: number,
): AcceptedAnswer {
  const { requestHash, choice, by, via } = offered;
  if (question.state !== 'held') return { ok: false, reason: whyClosed(question) };
  if (now >= question.deadline) return { ok: false, reason: 'The time to answer it is over' };
  if (requestHash !== question.requestHash) {
    return { ok: false, reason: 'The agent asks for something else now' };
  }
  if (!question.choices.includes(choice)) {
    return { ok: false, reason: notOffered[choice] };
  }
  return {
    ok: true,
    question: { ...question, state: 'answered', answer: { choice, by, via, at: now } },
  };
}

const notOffered: Readonly<Record<DecisionChoice, string>> = {
  allow:
    'It can only be allowed in its terminal: the request cannot be shown in full elsewhere, or the agent needs an answer',
  'allow-session': 'The agent does not offer to allow it for the session',
  deny: 'It can only be denied in its terminal',
  answer: 'The agent did not ask a question that can be answered elsewhere',
};

/** Such as "Answered in the terminal at 12:03". */
export function whyClosed({ state, answer, reason, closedAt }: Question): string {
  if (answer !== null && (state === 'answered' || state === 'confirmed')) {
    const by = `${pastOf[answer.choice]} at ${clockText(answer.at)} by ${answer.by} (${answer.via})`;
    return state === 'answered' && closedAt !== null ? `${by}, not confirmed` : by;
  }
  return closedAt === null ? 'It is open' : `${reason ?? 'Released'} at ${clockText(closedAt)}`;
}

const pastOf: Readonly<Record<DecisionChoice, string>> = {
  allow: 'Allowed',
  'allow-session': 'Allowed for the session',
  deny: 'Denied',
  answer: 'Answered',
};

function clockText(at: number): string {
  return new Date(at).toTimeString().slice(0, 5);
}

/** Lets a held question go, or leaves another as it is. */
export function release(question: Question, reason: string, now: number): Question {
  if (question.state !== 'held') return question;
  return { ...question, state: 'released', closedAt: now, reason };
}

export const IN_TERMINAL = 'Answered in the terminal';
export const DENIED_IN_TERMINAL = 'Denied in the terminal';
const NOT_REPORTED = 'The agent continued without confirming that it got the answer';

/** What else is known when an event arrives. */
interface Known {
  /** False for tools whose answer changes their input, so that only the tool can be compared. */
  readonly repeatsInput: boolean;
  /** The agent reports each answer with its request. A report of ours may come after the end of the turn. */
  readonly reportsAnswers: boolean;
  /** When the answer was sent, Unix ms: it is recorded some ms before. */
  readonly sentAt?: number | null;
  /** Whether the hook noted that it printed the answer to its agent. A hook that was killed before, or is older, did not. */
  readonly hasPrinted: boolean;
}

/**
 * What an event of the same session says about a question; null: nothing. A call that ran was allowed, in the terminal if no one
 * allowed it elsewhere before it began; the end of a turn answers what its conversation asked. What fits an answer from elsewhere
 * confirms it only if that reached the agent; a call that ran is what a plain Allow means, no matter who gave it.
 */
export function observe(
  question: Question,
  event: Pick<HookEvent, 'sessionKey' | 'kind' | 'at' | 'call' | 'toolMs' | 'tookAnswer'>,
  { repeatsInput, reportsAnswers, sentAt = question.answer?.at ?? null, hasPrinted }: Known,
): Question | null {
  if (event.sessionKey !== question.sessionKey || event.at < question.openedAt) return null;
  if (question.state !== 'held' && question.state !== 'answered') return null;
  if (question.state === 'answered' && event.tookAnswer !== undefined) {
    if (!isSameCall(question, event, true)) return null;
    const reason = event.kind === 'tool.done' ? IN_TERMINAL : 'The agent did not accept the answer';
    return event.tookAnswer
      ? { ...question, state: 'confirmed', closedAt: event.at }
      : { ...question, state: 'overtaken', closedAt: event.at, reason };
  }
  const ran = event.kind === 'tool.done' && isSameCall(question, event, repeatsInput);
  if (!ran && !isOver(question, event)) return null;
  // The agent does not count the wait for the answer. The hook of the event runs after the call, so it began no later.
  const startedAt = ran ? Math.max(question.openedAt, event.at - (event.toolMs ?? 0)) : event.at;
  if (question.state === 'held') {
    const reason = event.kind === 'session.end' ? 'The session ended' : IN_TERMINAL;
    return { ...question, state: 'released', closedAt: startedAt, reason };
  }
  const overtaken = { state: 'overtaken', closedAt: startedAt, reason: IN_TERMINAL } as const;
  const unknown = { ...question, closedAt: event.at, reason: NOT_REPORTED };
  if (reportsAnswers) {
    if (ran) return { ...question, ...overtaken };
    return event.kind === 'prompt' || event.kind === 'session.end' ? unknown : null;
  }
  const choice = question.answer?.choice;
  const isTooLate = ran && sentAt !== null && startedAt < sentAt;
  // An allowed call that did not run before the end of the turn was stopped in the terminal.
  if (ran === (choice === 'deny') || isTooLate) return { ...question, ...overtaken };
  const isProved = hasPrinted || (choice === 'allow' && repeatsInput);
  return isProved ? { ...question, state: 'confirmed', closedAt: event.at } : unknown;
}

function isSameCall(
  question: Question,
  { call }: Pick<HookEvent, 'call'>,
  repeatsInput: boolean,
): boolean {
  if (call === undefined || call.agentId !== question.agentId) return false;
  // An answer of a plugin names the request, whose hash is that of its id.
  if (call.tool === null) return call.hash !== null && call.hash === question.callHash;
  if (call.tool !== question.tool) return false;
  return !repeatsInput || call.hash === question.callHash;
}

const turnEnds: readonly Kind[] = [
  'prompt',
  'turn.done',
  'turn.failed',
  'turn.interrupted',
  'subagent.done',
];

function isOver(question: Question, { kind, call }: Pick<HookEvent, 'kind' | 'call'>): boolean {
  if (kind === 'session.end') return true;
  // The turn of the main conversation may end while a subagent asks.
  return turnEnds.includes(kind) && (call?.agentId ?? null) === question.agentId;
}

/** How a hook ended, as far as the system reports it. */
export interface HookEnd {
  /** Its hook was sent SIGTERM, as by an agent whose prompt was answered. */
  readonly wasStopped: boolean;
  /** Null: its process is unknown. */
  readonly agentAlive: boolean | null;
}

/** Why a hook that is gone did not wait for an answer. */
export function whyHookEnded({ wasStopped, agentAlive }: HookEnd): string {
  if (agentAlive === false) return 'The agent ended';
  return wasStopped ? DENIED_IN_TERMINAL : 'Its hook ended';
}

/** @param forMs how long it was held */
export function whyOverdue(forMs: number): string {
  return `Not answered within ${durationText(forMs)}`;
}
