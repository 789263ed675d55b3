import { backoffMs } from '../core/backoff.ts';
import type { Log } from '../core/log.ts';
import type { StartTimer } from './timer.ts';
import { pause } from './timer.ts';

/** Longest sleep: a suspended machine or a clock that was set is noticed that soon. */
export const LONGEST_SLEEP_MS = 30_000;

export interface RoundsOptions {
  /** Does what is due and answers how long nothing will be, ms. When it rejects it is tried again, less and less often. */
  readonly round: (stopping: AbortSignal) => Promise<number>;
  /** What the log says when a round rejects. */
  readonly trouble: string;
  /** In [0, 1). */
  readonly random: () => number;
  readonly startTimer: StartTimer;
  readonly log: Log;
}

/** One round after the other, with a sleep in between. */
export interface Rounds {
  start(): void;
  /** Resolves when the round under way is over. */
  stop(): Promise<void>;
  /** The sleep is over; during a round: there is none after it. */
  wake(): void;
}

export function createRounds({ round, trouble, random, startTimer, log }: RoundsOptions): Rounds {
  const stopping = new AbortController();
  let nudge = new AbortController();
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    let troubles = 0;
    while (!stopping.signal.aborted) {
      nudge = new AbortController();
      let sleepMs: number;
      try {
        sleepMs = Math.min(LONGEST_SLEEP_MS, Math.max(0, await round(stopping.signal)));
        troubles = 0;
      } catch (error) {
        troubles += 1;
        sleepMs = backoffMs(troubles, random(), { capMs: LONGEST_SLEEP_MS });
        log.warn({ err: error }, trouble);
      }
      // A wake that came during the round has aborted the nudge: then there is no pause.
      await pause(sleepMs, startTimer, nudge.signal);
    }
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      nudge.abort();
      await running;
    },
    // By default an abort makes an error with a stack each time, and there is a wake for each message.
    wake: () => nudge.abort(null),
  };
}
