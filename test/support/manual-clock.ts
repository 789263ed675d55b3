import { setImmediate as nextTurn } from 'node:timers/promises';

/** A clock whose hands a test turns: wall time, and timers on a separate monotonic clock. */
export interface ManualClock {
  readonly now: () => number;
  /** How much time has passed, whatever the wall clock says. */
  readonly monotonic: () => number;
  /** Calls back once, after `ms`; the answer cancels it. */
  readonly startTimer: (ms: number, callback: () => void) => () => void;
  /** Lets time pass: fires the timers that fall due, in order, and lets what they set off settle. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock without letting time pass, as a person or a suspended machine does; timers do not notice. */
  jump(ms: number): void;
  /** Lets everything go on that waits for no timer: promises, and commits of the store. */
  settle(): Promise<void>;
  /** Makes `advance` and `settle` wait for work that takes turns of the event loop and no time, as commits do. */
  waitFor(isBusy: () => boolean): void;
  /** Timers that are running. */
  readonly pending: number;
}

export function manualClock(start = 1_700_000_000_000): ManualClock {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let elapsed = 0;
  let offset = start;
  let isBusy: (() => boolean) | null = null;

  /** Until nothing is left to do in two turns: what ends in one may begin something else. */
  async function settled(): Promise<void> {
    for (let idle = 0; idle < 2; idle = isBusy?.() === true ? 0 : idle + 1) await nextTurn();
  }

  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    startTimer(ms, callback) {
      const timer = { at: elapsed + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const end = elapsed + ms;
      await settled();
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due);
        elapsed = Math.max(elapsed, due.at);
        due.callback();
        await settled();
      }
      elapsed = end;
    },
    jump(ms) {
      offset += ms;
    },
    settle: settled,
    waitFor(work) {
      isBusy = work;
    },
    get pending() {
      return timers.size;
    },
  };
}
