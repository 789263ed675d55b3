import { createTokenBucket } from '../../platform/retry.ts';
import type { Sleep } from './wait.ts';

/** Foreground: a person waits for it. Background: pollers and reports. */
export type Priority = 'foreground' | 'background';

export interface RequestQueueSettings {
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  /** Burst of requests after an idle time. */
  readonly burst: number;
}

export type RequestQueue = ReturnType<typeof createRequestQueue>;

export interface QueuedRequest<Result> {
  readonly priority: Priority;
  /** Writes go one at a time. */
  readonly access: 'read' | 'write';
  readonly signal: AbortSignal;
  readonly task: () => Promise<Result>;
}

type Waiting = Omit<QueuedRequest<unknown>, 'signal' | 'task'> & { readonly start: () => void };

/**
 * Bounds what one credential sends: a token bucket, a maximum of concurrent requests, and the foreground
 * before the background. The limits of the service are not documented, so these are only polite defaults.
 */
export function createRequestQueue(
  settings: RequestQueueSettings,
  now: () => number,
  sleep: Sleep,
) {
  const { concurrency, requestsPerSecond, burst } = settings;
  let waiting: Waiting[] = [];
  let running = 0;
  let isWriting = false;
  const bucket = createTokenBucket({ burst, refillMs: 1_000 / requestsPerSecond });
  const from: Record<Priority, number> = { foreground: 0, background: 0 };
  let wake: AbortController | null = null;

  function dispatch(): void {
    for (;;) {
      const next = pickNext();
      if (next === undefined || running >= concurrency) return;
      const at = now();
      const waitMs = Math.max(bucket.readyAt(at), from[next.priority]) - at;
      if (waitMs > 0) return wakeIn(waitMs);
      waiting = waiting.filter((other) => other !== next);
      bucket.take(at);
      next.start();
    }
  }

  function pickNext(): Waiting | undefined {
    const ready = waiting.filter(({ access }) => access === 'read' || !isWriting);
    return ready.find(({ priority }) => priority === 'foreground') ?? ready[0];
  }

  function wakeIn(ms: number): void {
    wake?.abort();
    const controller = new AbortController();
    wake = controller;
    sleep(Math.ceil(ms), controller.signal).then(dispatch, () => {
      // A newer wait replaced it.
    });
  }

  /** Runs a request when its turn comes; rejects with the signal's reason when that aborts before. */
  async function run<Result>(job: QueuedRequest<Result>): Promise<Result> {
    const { priority, access, signal, task } = job;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const entry: Waiting = {
        priority,
        access,
        start: () => {
          signal.removeEventListener('abort', leave);
          running += 1;
          if (access === 'write') isWriting = true;
          resolve();
        },
      };
      const leave = (): void => {
        waiting = waiting.filter((other) => other !== entry);
        if (waiting.length === 0) wake?.abort();
        reject(signal.reason instanceof Error ? signal.reason : new Error('The call was aborted'));
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(entry);
      dispatch();
    });
    try {
      return await task();
    } finally {
      running -= 1;
      if (access === 'write') isWriting = false;
      dispatch();
    }
  }

  return {
    run,
    /** Pauses requests by priority. A later pause never shortens an earlier one. */
    pause: (forMs: Readonly<Record<Priority, number>>): void => {
      from.foreground = Math.max(from.foreground, now() + forMs.foreground);
      from.background = Math.max(from.background, now() + forMs.background);
    },
    /** Remaining pause, ms; 0: not paused. */
    pausedMs: (priority: Priority) => Math.max(0, from[priority] - now()),
  };
}

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 60_000;
/** Retry interval of other calls while the trial call is running. */
const TRIAL_MS = 5_000;

/**
 * Keeps background work from hammering a service that is down.
 *
 * - closed: everything passes; five failures in a row open it
 * - open: nothing passes for a minute
 * - half open: after that, one call passes at a time; a success closes it, a failure opens it again
 */
export type Breaker = ReturnType<typeof createBreaker>;

export function createBreaker(now: () => number) {
  let failures = 0;
  let openUntil = 0;
  let isTrying = false;
  return {
    /** Returns ms until a call may pass, 0 if it may now; then one of the methods below follows. */
    enter: (): number => {
      const waitMs = Math.max(0, openUntil - now());
      if (waitMs > 0 || failures < FAILURES_TO_OPEN) return waitMs;
      if (isTrying) return TRIAL_MS;
      isTrying = true;
      return 0;
    },
    succeeded: (): void => {
      failures = 0;
      openUntil = 0;
      isTrying = false;
    },
    failed: (): void => {
      failures += 1;
      isTrying = false;
      if (failures >= FAILURES_TO_OPEN) openUntil = now() + OPEN_MS;
    },
    /** The call ended without a response, for a local reason. */
    gaveUp: (): void => {
      isTrying = false;
    },
  };
}
