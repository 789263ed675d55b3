/** Calls back once, after `ms` on the monotonic clock; the answer cancels it. Injected, so that tests turn the hands. */
export type StartTimer = (ms: number, callback: () => void) => () => void;

export const systemTimer: StartTimer = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/** Waits `ms`, or until `signal` fires. Never rejects: whoever waits looks at the signal. */
export function pause(ms: number, startTimer: StartTimer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = (): void => {
      cancel();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const cancel = startTimer(ms, over);
    signal.addEventListener('abort', over);
  });
}
