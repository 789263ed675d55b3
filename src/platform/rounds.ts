import { backoffMs } from './retry.ts';
import { pause, type StartTimer, systemTimer } from './time.ts';

interface RoundsOptions {
  /** Returns the time until the next round, ms; Infinity: after a wake. Retried if it rejects. */
  readonly round: (stopping: AbortSignal) => Promise<number>;
  /** Called after a rejected round, before the pause. @param troubles how many in a row, from 1 */
  readonly onTrouble: (error: unknown, troubles: number) => unknown;
  /** Longest sleep, also after a rejected round, ms: a suspended machine or a clock change is noticed within this time. */
  readonly longestMs?: number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly startTimer: StartTimer;
}

/** Runs rounds one after the other, with a sleep in between. */
export interface Rounds {
  start(): void;
  /** Resolves when the current round is over. */
  stop(): Promise<void>;
  /** Ends the sleep; during a round, skips the next one. */
  wake(): void;
}

export function createRounds(options: RoundsOptions): Rounds {
  const { round, onTrouble, longestMs = 30_000, random, startTimer } = options;
  const stopping = new AbortController();
  let waking = new AbortController();
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    let troubles = 0;
    while (!stopping.signal.aborted) {
      waking = new AbortController();
      let sleepMs: number;
      try {
        const nextMs = await round(stopping.signal);
        sleepMs = nextMs === Infinity ? Infinity : Math.min(longestMs, Math.max(0, nextMs));
        troubles = 0;
      } catch (error) {
        troubles += 1;
        sleepMs = backoffMs(troubles, random(), { capMs: longestMs });
        await onTrouble(error, troubles);
      }
      // A wake during the round has already aborted this, so the pause ends immediately.
      await pause(sleepMs, startTimer, waking.signal);
    }
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      waking.abort();
      await running;
    },
    // Without `null`, each abort would create an error with a stack, and every message wakes.
    wake: () => waking.abort(null),
  };
}

/** Rounds with the same pause after each. @param everyMs at most 30,000 @param round never rejects */
export function createSteadyRounds(round: () => Promise<void>, everyMs: number): Rounds {
  return createRounds({
    round: () => round().then(() => everyMs),
    onTrouble: () => {},
    random: Math.random,
    startTimer: systemTimer,
  });
}

export interface Connected {
  /** Whether the connection was open before it ended. */
  readonly wasOpen: boolean;
  /** How long to wait before the next one, ms; null: the usual time, which grows with failures in a row. */
  readonly afterMs: number | null;
}

interface KeepConnectedOptions {
  /** Longest usual time, ms. */
  readonly longestMs: number;
  readonly startTimer: StartTimer;
  readonly signal: AbortSignal;
}

/** Connects until the signal fires. `connect` resolves when a connection ends, never rejects. */
export async function keepConnected(
  connect: () => Promise<Connected>,
  { longestMs, startTimer, signal }: KeepConnectedOptions,
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    const { wasOpen, afterMs } = await connect();
    failures = wasOpen ? 1 : failures + 1;
    const usualMs = backoffMs(failures, Math.random(), { capMs: longestMs });
    await pause(afterMs ?? usualMs, startTimer, signal);
  }
}
