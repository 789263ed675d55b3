import { setImmediate as nextTurn } from 'node:timers/promises';

/** A clock whose hands a test turns: wall time, and timers on a monotonic clock of their own. */
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
  /** Lets everything that waits for nothing but promises go on. */
  settle(): Promise<void>;
  /** Timers that are running. */
  readonly pending: number;
}

export function manualClock(start = 1_700_000_000_000): ManualClock {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let elapsed = 0;
  let offset = start;

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
      await nextTurn();
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due);
        elapsed = Math.max(elapsed, due.at);
        due.callback();
        await nextTurn();
      }
      elapsed = end;
    },
    jump(ms) {
      offset += ms;
    },
    settle: () => nextTurn(),
    get pending() {
      return timers.size;
    },
  };
}
