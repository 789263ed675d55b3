import { z } from 'zod';

import { decodePayload } from '../agents/decode.ts';
import { requestHash } from '../agents/support/request.ts';
import { programEvents } from '../core/hand-made.ts';
import type { ProgramAnswer, ProgramAsk } from '../core/question.ts';
import type { EventSink, EventStore } from '../core/store.ts';
import { createSignal } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import { isSameProcess } from '../platform/process-table.ts';
import { RecentMap } from '../platform/recent-map.ts';
import { type Clock, idleTimer, within } from '../platform/time.ts';
import type { HeldHook } from './held-hooks.ts';
import type { QuestionDesk } from './question-desk.ts';

export interface ProgramAsksOptions extends EventSink {
  readonly store: { readonly events: Pick<EventStore, 'accept'> };
  readonly questions: Pick<QuestionDesk, 'take' | 'ended'>;
  /** Where the desk finds what waits here, instead of a hook. */
  readonly hooks: Map<string, HeldHook>;
  readonly mostOpen: () => number;
  readonly now: Clock;
  readonly newId: () => string;
  readonly log: Log;
}

const HOUR_MS = 3_600_000;
/** A model that asks more is not understood better. */
const MOST_AN_HOUR = 30;
const MOST_OPEN_OF_ALL = 8;
/** Questions that are over, for programs that ask again. */
const MOST_OVER = 100;
const SWITCHED_OFF = 'Questions through MCP are switched off ("answers.hold.mcp")';

interface Ask {
  readonly wanted: ProgramAsk;
  readonly eventId: string;
  readonly settled: Promise<void>;
  result: ProgramAnswer | null;
  isTaken: boolean;
  isOver: boolean;
}

/** What the answer line of a hook for a question says. */
const Line = z.object({
  hookSpecificOutput: z.object({
    decision: z.object({
      message: z.string().optional(),
      updatedInput: z.object({ answers: z.record(z.string(), z.string()) }).optional(),
    }),
  }),
});

/** Questions of `question-desk.ts`, without a choice that allows anything, whose hook is in this process. */
export function createProgramAsks(options: ProgramAsksOptions) {
  const { store, questions, hooks, now, newId, log } = options;
  const open = new RecentMap<string, Ask>(MOST_OVER);
  const over = new RecentMap<string, Ask>(MOST_OVER);
  let askedAt: readonly number[] = [];

  /** Like an event of a hook. */
  async function accept(
    { wanted }: Pick<Ask, 'wanted'>,
    id: string,
    payload: ReturnType<typeof payloadOf> & { readonly from_hookbell?: boolean },
  ): Promise<void> {
    const { host, pid, forMs } = wanted;
    const bytes = Buffer.from(JSON.stringify(payload));
    const isHere = isSameProcess(pid, null);
    const facts = { ...(host !== null && { agent: host }), ...(isHere && { ppid: String(pid) }) };
    const decoded = decodePayload({ payload: bytes, facts });
    if (!decoded.ok) throw new Error(`A question of a program is unreadable: ${decoded.reason}`);
    const isAsk = payload.hook_event_name === programEvents.ask;
    const hash = requestHash(payload.tool_name, payload.tool_input, undefined);
    // A process in a container has another number here: this one lives as long as the question can.
    const waiter = isHere ? pid : process.pid;
    const waits = { fifo: id, pid: waiter, start: null, requestHash: hash, forMs };
    const at = now();
    const event = { ...decoded.event, id, at, receivedAt: at, ...(isAsk && { waits }) };
    const record = options.prepare({ event, payload: bytes });
    await store.events.accept([record], options.decide);
    options.onCommitted();
    questions.take([record]);
  }

  /** Its notifications are withdrawn, and its session ends. */
  function end(ask: Ask): void {
    if (ask.isOver) return;
    ask.isOver = true;
    open.delete(ask.wanted.id);
    over.set(ask.wanted.id, ask);
    const payload = payloadOf(ask.wanted, programEvents.over);
    const took = ask.isTaken && { from_hookbell: true };
    accept(ask, newId(), { ...payload, ...took }).catch((err: unknown) => {
      log.warn({ err, event: ask.eventId }, 'Cannot record the end of a question of a program');
    });
  }

  function whyRefused({ session }: ProgramAsk): string | null {
    const all = [...open.values()].filter(({ result }) => result === null);
    const own = all.filter(({ wanted }) => wanted.session === session);
    if (own.length >= options.mostOpen()) {
      return `A question of this session is still open: "${own[0]?.wanted.question}". Wait for its answer first`;
    }
    if (all.length >= MOST_OPEN_OF_ALL) return 'Too many questions are open on this machine';
    askedAt = askedAt.filter((at) => at > now() - HOUR_MS);
    return askedAt.length < MOST_AN_HOUR
      ? null
      : `More than ${MOST_AN_HOUR} questions within an hour`;
  }

  async function begin(wanted: ProgramAsk): Promise<Ask> {
    askedAt = [...askedAt, now()];
    const signal = createSignal();
    const settled = signal.next();
    const eventId = newId();
    const ask: Ask = { wanted, eventId, settled, result: null, isTaken: false, isOver: false };
    open.set(wanted.id, ask);
    hooks.set(eventId, {
      answer(json) {
        ask.result = answerIn(json, wanted.question);
        signal.emit();
        return true;
      },
      hasPrinted: () => ask.isTaken,
      stoppedAt: () => null,
      letGo() {
        signal.emit();
        if (ask.result === null) end(ask);
      },
    });
    await accept(ask, eventId, payloadOf(wanted, programEvents.ask)).catch((error: unknown) => {
      open.delete(wanted.id);
      throw error;
    });
    return ask;
  }

  function takeAnswer(ask: Ask): ProgramAnswer {
    if (ask.result !== null) {
      ask.isTaken = true;
      end(ask);
      return ask.result;
    }
    if (!ask.isOver) return { state: 'open', answer: null, reason: null };
    const reason = questions.ended(ask.eventId)?.reason ?? SWITCHED_OFF;
    return { state: 'over', answer: null, reason };
  }

  return {
    async ask(wanted: ProgramAsk): Promise<ProgramAnswer> {
      const before = over.get(wanted.id);
      if (before?.result != null && wanted.again) return before.result;
      let ask = open.get(wanted.id);
      if (ask === undefined) {
        const reason = whyRefused(wanted);
        if (reason !== null) return { state: 'refused', answer: null, reason };
        ask = await begin(wanted);
      }
      await within(ask.settled, wanted.waitMs, idleTimer);
      return takeAnswer(ask);
    },

    /** Takes a question back. Returns whether it was open. */
    withdraw(id: string): boolean {
      const ask = open.get(id);
      if (ask !== undefined) end(ask);
      return ask !== undefined;
    },
  };
}

function payloadOf({ session, cwd, question, options: labels }: ProgramAsk, event: string) {
  const choices = labels.map((label) => ({ label }));
  return {
    hook_event_name: event,
    session_id: session,
    cwd,
    tool_name: 'AskUserQuestion',
    tool_input: { questions: [{ question, options: choices }] },
  };
}

function answerIn(json: string, question: string): ProgramAnswer {
  const { decision } = Line.parse(JSON.parse(json)).hookSpecificOutput;
  const answer = decision.updatedInput?.answers[question];
  return answer === undefined
    ? { state: 'declined', answer: null, reason: decision.message ?? null }
    : { state: 'answered', answer, reason: null };
}
