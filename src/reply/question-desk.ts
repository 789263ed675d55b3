import {
  type AgentRequest,
  answerLine,
  choicesFor,
  isAnsweredByInput,
  questionsOf,
  readRequest,
  requestText,
} from '../agents/support/request.ts';
import {
  holdFor,
  longestHoldOf,
  mayHold,
  observe,
  release,
  settle,
  whyClosed,
  whyHookEnded,
  whyOverdue,
} from '../alerts/settle-question.ts';
import type { AlertStore } from '../core/alert.ts';
import type { HookEvent, HookRecord, WaitingHook } from '../core/hook-event.ts';
import type { PresenceWatch } from '../attention/presence.ts';
import type { Paths } from '../core/paths.ts';
import type { Policy } from '../core/policy.ts';
import { agentProcess } from '../core/process-id.ts';
import type { Question, Questions, QuestionStore, ShownQuestion } from '../core/question.ts';
import type { Log } from '../platform/log.ts';
import { isSameProcess } from '../platform/process-table.ts';
import type { Clock } from '../platform/time.ts';
import { type HeldHook, sweepAsks, takeHook, takeNoteOfEnd } from './held-hooks.ts';

export interface QuestionDeskOptions {
  readonly store: {
    readonly questions: Pick<QuestionStore, 'add' | 'change' | 'release'>;
    readonly alerts: Pick<AlertStore, 'liveOf' | 'answerRequest'>;
  };
  readonly paths: Pick<Paths, 'asks'>;
  readonly uid: number | null;
  readonly presence: Pick<PresenceWatch, 'isPresent'>;
  readonly policy: () => Pick<Policy, 'expireAfterMs' | 'programChannels'>;
  /** Whether the process still runs that started then. */
  readonly isRunning?: (pid: number, start: string | null) => boolean;
  readonly now: Clock;
  readonly log: Log;
  /** Notifications of answered requests may have to be withdrawn. */
  readonly onAnswered: () => void;
}

export interface QuestionDesk extends Questions {
  shown(): readonly (ShownQuestion & Pick<HookEvent, 'subject'>)[];
  /** Receives events after their commit, in their order. */
  take(records: readonly HookRecord[]): void;
  /** Lets the hook of a request go that the transcript shows to be answered. */
  readonly answeredElsewhere: (sessionKey: string) => void;
  start(): Promise<void>;
  /** Lets all hooks go. */
  stop(): Promise<void>;
}

/** Presence and processes are checked this often while a request is held: a person who returns waits for it. */
const EVERY_MS = 500;
/** An agent that ends stops its hooks first: its process is looked at after this, ms. */
const END_SETTLES_MS = 1_000;
/** The end of an answered question may never be reported, ms. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** A question in memory, with what is never stored. */
interface Held {
  question: Question;
  readonly event: HookEvent;
  /** Null if it cannot be shown as the hook received it. */
  readonly request: AgentRequest | null;
  readonly waits: WaitingHook;
  readonly hook: HeldHook;
  readonly agentPid: number | null;
  /** An answer is being recorded, so that a second one loses. */
  isSending: boolean;
  /** When its process was first found to be gone, and whether it was stopped. */
  gone: { readonly at: number; readonly wasStopped: boolean } | null;
}

/** Holds the hooks of agents that ask, and passes the answers of people to them. */
export function createQuestionDesk(options: QuestionDeskOptions): QuestionDesk {
  const { store, uid, presence, policy, now, log, isRunning = isSameProcess } = options;
  const { asks } = options.paths;
  const held = new Map<string, Held>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isStopped = false;

  const isHere = (): Promise<boolean | null> => presence.isPresent().catch(() => null);

  async function hold({ event, payload }: HookRecord, waits: WaitingHook): Promise<void> {
    const { agent, subagent, kind, call, id } = event;
    const hook = takeHook(asks, waits.fifo, uid);
    if (hook === null) return;
    const wanted = event.machine === null ? holdFor({ agent, subagent, kind }) : null;
    const isPresent = wanted === 'away' ? await isHere() : null;
    if (wanted === null || !mayHold(wanted, isPresent) || isStopped) {
      hook.letGo();
      return;
    }
    const request = readRequest(payload, waits.requestHash);
    const question: Question = {
      id,
      sessionKey: event.sessionKey,
      agent,
      agentId: call?.agentId ?? null,
      tool: call?.tool ?? null,
      requestHash: waits.requestHash,
      callHash: call?.hash ?? null,
      hold: wanted,
      choices: choicesFor(agent, request),
      state: 'held',
      openedAt: event.at,
      deadline: now() + Math.min(policy().expireAfterMs, longestHoldOf(agent)),
      answer: null,
      closedAt: null,
      reason: null,
    };
    const agentPid = agentProcess(agent, event.facts);
    const one = { question, event, request, waits, hook, agentPid, isSending: false, gone: null };
    // Before it is recorded, so that no event in between is missed.
    held.set(id, one);
    timer ??= setInterval(() => void look(), EVERY_MS);
    try {
      await store.questions.add(question);
    } catch (error) {
      log.warn({ err: error, event: id }, 'Cannot record a request that waits for an answer');
      if (held.get(id) === one) forget(one);
    }
  }

  function forget(one: Held): void {
    held.delete(one.question.id);
    one.hook.letGo();
    if (held.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** Records the end of a question, and lets its hook go. */
  function close(one: Held, next: Question): void {
    const { state: from } = one.question;
    one.question = next;
    forget(one);
    log.debug({ event: next.id, state: next.state, reason: next.reason }, 'Closed a question');
    store.questions.change(next, from).catch((error: unknown) => {
      log.warn({ err: error, event: next.id }, 'Cannot record the end of a question');
    });
  }

  function letGo(one: Held, reason: string): void {
    close(one, release(one.question, reason, now()));
  }

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const waiting = [...held.values()].filter(({ question }) => question.state === 'held');
      const needsPresence = waiting.some(({ question }) => question.hold === 'away');
      const isPresent = needsPresence ? await isHere() : null;
      for (const one of held.values()) check(one, isPresent);
    } finally {
      isLooking = false;
    }
  }

  function check(one: Held, isPresent: boolean | null): void {
    const { question, waits } = one;
    const at = now();
    if (question.state === 'answered') {
      const answeredAt = question.answer?.at ?? at;
      if (at - answeredAt < FORGOTTEN_AFTER_MS) return;
      const reason = 'No event showed what became of the answer';
      return close(one, { ...question, closedAt: at, reason });
    }
    if (!isRunning(waits.pid, waits.start)) {
      one.gone ??= { at, wasStopped: takeNoteOfEnd(asks, waits.fifo) };
      const agentAlive = one.agentPid === null ? null : isRunning(one.agentPid, null);
      const { wasStopped } = one.gone;
      const isSettled = agentAlive === false || at - one.gone.at >= END_SETTLES_MS;
      if (isSettled) letGo(one, whyHookEnded({ wasStopped, agentAlive }));
    } else if (one.agentPid !== null && !isRunning(one.agentPid, null)) {
      letGo(one, 'The agent ended');
    } else if (at >= question.deadline) {
      letGo(one, whyOverdue(question.deadline - question.openedAt));
    } else if (!mayHold(question.hold, isPresent)) {
      letGo(one, 'You are back at this machine');
    }
  }

  /** The alert is over with the answer: its later steps would come too late. */
  async function resolveAlert({ event }: Held, reason: string): Promise<void> {
    const { sessionKey, subject } = event;
    const alerts = await store.alerts.liveOf([sessionKey]);
    const alert = alerts.find((one) => one.subject === subject);
    if (alert === undefined) return;
    await store.alerts.answerRequest({
      eventId: alert.eventId,
      sessionKey,
      at: now(),
      isTurnOver: false,
      reason,
      exceptChannels: policy().programChannels,
    });
    options.onAnswered();
  }

  return {
    take(records) {
      for (const record of records) {
        for (const one of held.values()) {
          const repeatsInput = !isAnsweredByInput(one.question.tool);
          const next = observe(one.question, record.event, { repeatsInput });
          if (next !== null) close(one, next);
        }
        const { waits, id } = record.event;
        if (waits === undefined || held.has(id)) continue;
        hold(record, waits).catch((error: unknown) => {
          log.error({ err: error, event: id }, 'Cannot hold a request');
        });
      }
    },

    shown: () =>
      [...held.values()]
        .map(({ question, event, request, agentPid }) => ({
          question,
          sessionId: event.sessionId,
          project: event.project,
          cwd: event.cwd,
          subject: event.subject,
          text: request === null ? null : requestText(request),
          asks: request === null ? [] : (questionsOf(request) ?? []),
          agentPid,
        }))
        .toSorted((a, b) => a.question.openedAt - b.question.openedAt),

    async answer(id, offered) {
      const one = held.get(id);
      if (one === undefined) return { ok: false, reason: 'It no longer waits for an answer' };
      if (one.isSending) return { ok: false, reason: 'Another answer is being sent' };
      const before = one.question;
      const settled = settle(before, offered, now());
      if (!settled.ok) return settled;
      const line = answerLine(one.request, offered);
      if (line === null) return { ok: false, reason: 'The agent does not take such an answer' };
      const answered = settled.question;
      one.isSending = true;
      const isFirst = await store.questions.change(answered, before.state).finally(() => {
        one.isSending = false;
      });
      if (one.question !== before || !isFirst) {
        // An event came meanwhile: the terminal was first.
        const { reason, closedAt } = one.question;
        await store.questions.change(
          { ...answered, state: 'overtaken', reason, closedAt },
          'answered',
        );
        return { ok: false, reason: whyClosed(one.question) };
      }
      one.question = answered;
      if (!one.hook.answer(line)) {
        const reason = 'Its hook was gone before the answer';
        close(one, { ...answered, state: 'overtaken', closedAt: now(), reason });
        return { ok: false, reason: 'The agent no longer waits: look at its terminal' };
      }
      await resolveAlert(one, whyClosed(answered)).catch((error: unknown) => {
        log.warn({ err: error, event: id }, 'Cannot resolve the alert of an answered request');
      });
      return { ok: true };
    },

    answeredElsewhere: (sessionKey) => {
      for (const one of held.values()) {
        const { sessionKey: key, state } = one.question;
        if (key === sessionKey && state === 'held') letGo(one, 'Answered in the terminal');
      }
      options.onAnswered();
    },

    async start() {
      sweepAsks(asks, uid, () => false);
      await store.questions.release('The daemon ended', now());
    },

    async stop() {
      isStopped = true;
      clearInterval(timer);
      for (const one of held.values()) letGo(one, 'The daemon stopped');
      await store.questions.release('The daemon stopped', now());
    },
  };
}
