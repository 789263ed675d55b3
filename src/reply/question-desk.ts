import { answerLine } from '../agents/support/answer-line.ts';
import { traitsOf } from '../agents/registry.ts';
import {
  acceptAnswer,
  DENIED_IN_TERMINAL,
  holdFor,
  IN_TERMINAL,
  mayHold,
  release,
  whyClosed,
} from '../alerts/accept-answer.ts';
import type { AlertStore } from '../core/alert.ts';
import type { HookRecord, WaitingHook } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type {
  AnswerResult,
  HoldPolicy,
  OfferedAnswer,
  Question,
  QuestionStore,
} from '../core/question.ts';
import { isSameProcess } from '../platform/process-table.ts';
import { RecentMap } from '../platform/recent-map.ts';
import { within } from '../platform/time.ts';
import {
  askingHook,
  endOf,
  type Held,
  heldQuestion,
  promptOf,
  ranOf,
  type ShownPrompt,
  shownQuestion,
  whyForgotten,
  whyNotHeld,
} from './held-question.ts';
import { type RequestEnd, resolveRequest } from './resolve-request.ts';
import { type DeskOptions, LEFT_AFTER_MS, sweepAsks, takeHook } from './held-hooks.ts';

export interface QuestionDeskOptions extends DeskOptions {
  readonly store: {
    readonly questions: Pick<QuestionStore, 'add' | 'change' | 'release'>;
    readonly alerts: Pick<AlertStore, 'liveOf' | 'answerRequest'>;
  };
  readonly policy: () => Pick<Policy, 'expireAfterMs' | 'programChannels'>;
  readonly holds: () => HoldPolicy;
  /** Notifications of answered requests may have to be withdrawn. */
  readonly onAnswered: () => void;
  /** A request is held, answered, or no longer held. */
  readonly onChange?: () => void;
}

/** Presence and processes are checked this often while a request is held: a person who returns waits for it. */
const EVERY_MS = 500;
/** An answer waits for this long for the file that shows whether the prompt is still open, ms. */
const RECORD_PATIENCE_MS = 200;
const MOST_CLOSED = 200;

export type QuestionDesk = ReturnType<typeof createQuestionDesk>;

/** Holds the hooks of agents that ask, and passes the answers of people to them. */
export function createQuestionDesk(options: QuestionDeskOptions) {
  const { store, uid, presence, policy, readTail, now, log } = options;
  const { isRunning = isSameProcess, takeHook: takeHeld = takeHook } = options;
  const { asks } = options.paths;
  const held = new Map<string, Held>();
  const closed = new RecentMap<string, Question>(MOST_CLOSED);
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isStopped = false;

  const isHere = (): Promise<boolean | null> => presence.isPresent().catch(() => null);

  async function hold({ event, payload }: HookRecord, waits: WaitingHook): Promise<void> {
    const { agent, subagent, kind, id } = event;
    const hook = takeHeld(asks, waits.fifo, uid);
    if (hook === null) return;
    const traits = event.isUnproved === true ? undefined : traitsOf(agent).answers;
    const wanted =
      event.machine === null ? holdFor({ agent, subagent, kind, traits }, options.holds()) : null;
    const isPresent = wanted === 'away' ? await isHere() : null;
    if (traits === undefined || wanted === null || !mayHold(wanted, isPresent) || isStopped) {
      hook.letGo();
      return;
    }
    const one = heldQuestion({ event, payload }, waits, {
      hook,
      hold: wanted,
      deadline:
        now() + Math.min(policy().expireAfterMs, traits.longestHoldMs, waits.forMs ?? Infinity),
    });
    // Before it is recorded, so that no event in between is missed.
    held.set(id, one);
    timer ??= setInterval(() => void look(), EVERY_MS);
    options.onChange?.();
    try {
      await store.questions.add(one.question);
    } catch (error) {
      log.warn({ err: error, event: id }, 'Cannot record a request that waits for an answer');
      if (held.get(id) === one) forget(one);
    }
  }

  function forget(one: Held): void {
    held.delete(one.question.id);
    one.hook.letGo();
    options.onChange?.();
    if (held.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    sweepAsks(asks, uid, now() - LEFT_AFTER_MS);
  }

  /** Records the end of a question, and lets its hook go. */
  function close(one: Held, next: Question): void {
    const { state: from } = one.question;
    one.question = next;
    forget(one);
    closed.set(next.id, next);
    log.debug({ event: next.id, state: next.state, reason: next.reason }, 'Closed a question');
    store.questions.change(next, from).catch((error: unknown) => {
      log.warn({ err: error, event: next.id }, 'Cannot record the end of a question');
    });
    options.onAnswered();
  }

  function letGo(one: Held, reason: string, at = now()): void {
    close(one, release(one.question, reason, at));
  }

  /** Lets the hook go if the terminal has answered, which the agent reports by an event only when the call has ended. */
  async function checkPrompt(one: Held, { path, answeredAt }: ShownPrompt): Promise<void> {
    const { question, event } = one;
    const record = await within(
      readTail(path).catch(() => null),
      RECORD_PATIENCE_MS,
    );
    const { sessionId } = event;
    const at = answeredAt(record ?? '', { sessionId, openedAt: question.openedAt });
    if (at !== null && one.question.state === 'held') letGo(one, IN_TERMINAL, at);
  }

  async function decide(one: Held, offered: OfferedAnswer): Promise<AnswerResult> {
    const prompt = promptOf(one);
    if (prompt !== null) await checkPrompt(one, prompt);
    const before = one.question;
    const accepted = acceptAnswer(before, offered, now());
    if (!accepted.ok) return accepted;
    const line = answerLine(one.request, offered);
    if (line === null) return { ok: false, reason: 'The agent does not accept such an answer' };
    const answered = accepted.question;
    const isFirst = await store.questions.change(answered, before.state);
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
    one.sentAt = now();
    options.onChange?.();
    if (!one.hook.answer(line)) {
      const reason = 'Its hook exited before the answer';
      close(one, { ...answered, state: 'overtaken', closedAt: now(), reason });
      return { ok: false, reason: 'The agent is no longer waiting: check its terminal' };
    }
    await resolveAlert(one, whyClosed(answered), { via: answered.answer?.via ?? null });
    return { ok: true };
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
    const at = now();
    if (one.question.state === 'answered') {
      const reason = whyForgotten(one.question, at);
      if (reason !== null) close(one, { ...one.question, closedAt: at, reason });
      return;
    }
    const reason = whyNotHeld(one, { at, isPresent, isRunning });
    if (reason === null) return;
    letGo(one, reason);
    // The agent sends no event: a denial in its terminal ends the turn, and its hook immediately.
    if (reason === DENIED_IN_TERMINAL)
      void resolveAlert(one, reason, { isTurnOver: true, at: one.gone?.stoppedAt ?? at });
  }

  async function resolveAlert({ event }: Held, reason: string, how: Partial<RequestEnd>) {
    const { programChannels: exceptChannels } = policy();
    const end = { at: now(), reason, isTurnOver: false, via: null, exceptChannels, ...how };
    try {
      if (await resolveRequest(store.alerts, event, end)) options.onAnswered();
    } catch (err) {
      log.warn({ err, event: event.id }, 'Cannot resolve the alert of an answered request');
    }
  }

  return {
    /** Receives events after their commit, in their order. */
    take(records: readonly HookRecord[]): void {
      for (const record of records) {
        const ends = [...held.values()].flatMap((one) => {
          const next = endOf(one, record.event);
          return next === null ? [] : [{ one, next }];
        });
        const over = record.event.kind === 'tool.done' ? ranOf(ends) : ends;
        for (const { one, next } of over) close(one, next);
        const waits = askingHook(record.event);
        const { id } = record.event;
        if (waits === null || held.has(id)) continue;
        hold(record, waits).catch((error: unknown) => {
          log.error({ err: error, event: id }, 'Cannot hold a request');
        });
      }
    },

    /** Held and answered questions whose end is not known yet, oldest first. */
    shown: (): readonly ReturnType<typeof shownQuestion>[] =>
      [...held.values()]
        .map(shownQuestion)
        .toSorted((a, b) => a.question.openedAt - b.question.openedAt),
    /** How a question ended; null: it is open, or was forgotten. */
    ended: (id: string) => closed.get(id) ?? null,
    /** The first answer wins. */
    async answer(id: string, offered: OfferedAnswer): Promise<AnswerResult> {
      const one = held.get(id);
      if (one === undefined) {
        const over = closed.get(id);
        const reason =
          over === undefined ? 'It is no longer waiting for an answer' : whyClosed(over);
        return { ok: false, reason };
      }
      if (one.isSending) return { ok: false, reason: 'Another answer is being sent' };
      one.isSending = true;
      return decide(one, offered).finally(() => {
        one.isSending = false;
      });
    },

    /** Lets go the hooks of requests of the main conversation: its transcript shows that they are answered. */
    answeredElsewhere: (sessionKey: string): void => {
      for (const one of held.values()) {
        const { sessionKey: key, state, agentId } = one.question;
        const isMain = key === sessionKey && agentId === null;
        // A hook that has ended shows how the terminal answered: the next check looks at it.
        const { pid, start } = one.waits;
        if (isMain && state === 'held' && isRunning(pid, start)) letGo(one, IN_TERMINAL);
      }
      options.onAnswered();
    },

    async start(): Promise<void> {
      sweepAsks(asks, uid, Number.POSITIVE_INFINITY);
      await store.questions.release('The daemon ended', now());
    },

    /** Lets all hooks go. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      for (const one of held.values()) letGo(one, 'The daemon stopped');
      await store.questions.release('The daemon stopped', now());
    },
  };
}
