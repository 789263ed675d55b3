import { traitsOf } from '../agents/registry.ts';
import {
  type AgentRequest,
  choicesFor,
  isAnsweredByInput,
  questionsOf,
  readRequest,
  requestText,
} from '../agents/support/request.ts';
import { mayHold, observe, whyHookEnded, whyOverdue } from '../alerts/accept-answer.ts';
import {
  type HookEvent,
  type HookRecord,
  isWaiting,
  type WaitingHook,
} from '../core/hook-event.ts';
import { agentProcess } from '../core/session.ts';
import type { PromptRecord } from '../core/agent/agent-traits.ts';
import type { Question, ShownQuestion } from '../core/question.ts';
import type { HeldHook } from './held-hooks.ts';

/** An agent that ends stops its hooks first: its process is looked at after this, ms. */
const END_KNOWN_MS = 1_000;
/** The end of an answered question may never be reported, ms. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** A question in memory, with what is never stored. */
export interface Held {
  question: Question;
  readonly event: HookEvent;
  /** Null if it cannot be shown as the hook received it. */
  readonly request: AgentRequest | null;
  readonly waits: WaitingHook;
  readonly hook: HeldHook;
  readonly agentPid: number | null;
  /** An answer is being recorded, so that a second one loses. */
  isSending: boolean;
  /** When an answer was sent, Unix ms: a call that had begun by then was allowed in the terminal. */
  sentAt: number | null;
  /** When its process was first found to be gone, and when it was stopped, if it was. */
  gone: { readonly at: number; readonly stoppedAt: number | null } | null;
}

/** The hook that waits for the answer to a request; null if it waits for words after a turn, or there is none. */
export function askingHook({ kind, waits }: HookEvent): WaitingHook | null {
  return isWaiting(kind) ? (waits ?? null) : null;
}

/** @param deadline Unix ms */
export function heldQuestion(
  { event, payload }: HookRecord,
  waits: WaitingHook,
  { hook, hold, deadline }: { readonly hook: HeldHook } & Pick<Question, 'hold' | 'deadline'>,
): Held {
  const { id, sessionKey, agent, call, facts } = event;
  const { requestHash } = waits;
  const request = readRequest(payload, requestHash);
  const question: Question = {
    id,
    sessionKey,
    agent,
    agentId: call?.agentId ?? null,
    tool: call?.tool ?? null,
    requestHash,
    callHash: call?.hash ?? null,
    hold,
    choices: choicesFor(request, traitsOf(agent).answers),
    state: 'held',
    openedAt: event.at,
    deadline,
    answer: null,
    closedAt: null,
    reason: null,
  };
  const agentPid = agentProcess(agent, facts);
  const state = { isSending: false, sentAt: null, gone: null };
  return { question, event, request, waits, hook, agentPid, ...state };
}

export function shownQuestion(held: Held): ShownQuestion & Pick<HookEvent, 'subject'> {
  const { question, event, request, agentPid } = held;
  const { sessionId, project, cwd, subject } = event;
  return {
    question,
    sessionId,
    project,
    cwd,
    text: request === null ? null : requestText(request),
    asks: request === null ? [] : (questionsOf(request) ?? []),
    agentPid,
    subject,
  };
}

/** Where the agent keeps whether it shows a prompt, and how to read that. */
export type ShownPrompt = Pick<PromptRecord, 'answeredAt'> & { readonly path: string };

/** Null for a subagent's request, and for an agent that keeps no record. */
export function promptOf({ question, event, agentPid }: Held): ShownPrompt | null {
  const record = traitsOf(event.agent).answers?.record;
  if (record === undefined || question.agentId !== null) return null;
  const path = record.pathOf(event, agentPid);
  return path === null ? null : { path, answeredAt: record.answeredAt };
}

interface Surroundings {
  readonly at: number;
  readonly isPresent: boolean | null;
  readonly isRunning: (pid: number, start: string | null) => boolean;
}

/** Why the hook of a held question is let go, a sentence without a full stop; null while it may wait. */
export function whyNotHeld(one: Held, { at, isPresent, isRunning }: Surroundings): string | null {
  const { question, waits, hook, agentPid } = one;
  const agentAlive = agentPid === null ? null : isRunning(agentPid, null);
  if (!isRunning(waits.pid, waits.start)) {
    one.gone ??= { at, stoppedAt: hook.stoppedAt() };
    const isEndKnown = agentAlive === false || at - one.gone.at >= END_KNOWN_MS;
    const wasStopped = one.gone.stoppedAt !== null;
    return isEndKnown ? whyHookEnded({ wasStopped, agentAlive }) : null;
  }
  if (agentAlive === false) return 'The agent ended';
  if (at >= question.deadline) return whyOverdue(question.deadline - question.openedAt);
  return mayHold(question.hold, isPresent) ? null : 'You are back at this machine';
}

/** Why no further event is expected to show the end of an answered question; null before. */
export function whyForgotten({ answer }: Question, at: number): string | null {
  const isOld = answer !== null && at - answer.at >= FORGOTTEN_AFTER_MS;
  return isOld ? 'No event showed whether the agent used the answer' : null;
}

/** What an event says about a question; null: nothing. */
export function endOf({ question, sentAt, hook }: Held, event: HookEvent): Question | null {
  const repeatsInput = !isAnsweredByInput(question.tool);
  const hasPrinted = question.state === 'answered' && hook.hasPrinted();
  const reportsAnswers = traitsOf(question.agent).answers?.reportsAnswers === true;
  return observe(question, event, { repeatsInput, reportsAnswers, sentAt, hasPrinted });
}

/** Of equal calls that wait, the one that ran: the allowed one, else the oldest that the terminal can have allowed. */
export function ranOf<T extends { readonly next: Question }>(ends: readonly T[]): readonly T[] {
  const inState = (state: Question['state']) => ends.find(({ next }) => next.state === state);
  const ran = inState('confirmed') ?? inState('released') ?? ends[0];
  return ran === undefined ? [] : [ran];
}
