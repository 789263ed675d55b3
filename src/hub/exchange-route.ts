import type { MachineQuestions } from '../core/hub/machine-questions.ts';
import type { Question } from '../core/question.ts';
import type { Log } from '../platform/log.ts';
import { idleTimer, pause } from '../platform/time.ts';
import { answerJson, type RelayRoute, SMALL_BODY } from '../relay/entrance.ts';
import { type Exchanged, Report } from '../relay/exchange-wire.ts';
import type { RemoteQuestions } from './remote-questions.ts';

export interface ExchangeOptions {
  readonly store: Pick<MachineQuestions, 'take' | 'handOver' | 'expecting'>;
  readonly questions: Pick<RemoteQuestions, 'wake' | 'onRead'>;
  /** Questions that a machine reported as answered or closed. */
  readonly onOver: (questions: readonly Question[]) => void;
  readonly log: Log;
}

/** Takes the reports of machines, and keeps their requests open until there is an answer for them. */
export function exchangeRoute({ store, questions, onOver, log }: ExchangeOptions): RelayRoute {
  /** The request of each machine that waits at this process. */
  const waiting = new Map<string, AbortController>();
  let isLooking = false;

  questions.onRead(() => void look());

  async function look(): Promise<void> {
    if (isLooking || waiting.size === 0) return;
    isLooking = true;
    try {
      for (const machine of await store.expecting()) waiting.get(machine)?.abort();
    } catch (error) {
      log.debug({ err: error }, 'Cannot look for answers to machines');
    } finally {
      isLooking = false;
    }
  }

  /** Fires when there may be an answer, the machine hangs up, or sends a newer request. */
  function arrival(machine: string, signal: AbortSignal): AbortController {
    const over = new AbortController();
    waiting.get(machine)?.abort();
    waiting.set(machine, over);
    signal.addEventListener('abort', () => over.abort(), { once: true });
    if (signal.aborted) over.abort();
    return over;
  }

  async function exchange(
    machine: string,
    { questions: listed, at, outcomes, waitMs }: Report,
    signal: AbortSignal,
  ): Promise<Exchanged> {
    const reported = listed?.filter((one) => one !== null) ?? null;
    let missing: readonly string[] = [];
    if (reported !== null || outcomes.length > 0) {
      const taken = await store.take({ machine, questions: reported, at, outcomes });
      ({ missing } = taken);
      if (taken.over.length > 0) onOver(taken.over);
      questions.wake();
    }
    if (waitMs === 0) return { version: 1, answers: [], missing: [...missing] };
    // Registered before the look-up, so that no answer is missed in between.
    const over = arrival(machine, signal);
    try {
      let answers = await store.handOver(machine);
      if (answers.length === 0) {
        await pause(waitMs, idleTimer, over.signal);
        if (!signal.aborted) answers = await store.handOver(machine);
      }
      return { version: 1, answers: [...answers], missing: [...missing] };
    } finally {
      if (waiting.get(machine) === over) waiting.delete(machine);
    }
  }

  return {
    mostBytes: SMALL_BODY,
    handle: ({ machine }, bytes, signal) =>
      answerJson(bytes, Report, {
        handle: async (report) => ({ status: 200, body: await exchange(machine, report, signal) }),
        onBusy: (err) => log.warn({ machine, err }, 'Cannot exchange answers yet'),
      }),
  };
}
