import { httpDate } from '../../platform/retry.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;
const JITTER = 0.25;
/** A server with a longer wait has a broken clock. */
const LONGEST_ADVICE_MS = 86_400_000;
/** RateLimit-Reset is a number of seconds, but some send a Unix time. */
const UNIX_SECONDS_BEGIN = 1e9;

/** Waits; rejects with the signal's reason when aborted. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Maximum delay of a timer; a longer one would fire immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const sleepWithTimer: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(reasonOf(signal));
      return;
    }
    const give = (): void => {
      clearTimeout(timer);
      if (signal !== undefined) reject(reasonOf(signal));
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', give);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    signal?.addEventListener('abort', give, { once: true });
  });

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('The call was aborted', { cause: reason });
}

/**
 * The wait before the next attempt without advice of the service: 0.5 s, doubled up to 8 s, up to a quarter less.
 *
 * @param retry counts from 1
 * @param random a number in [0, 1)
 */
export function retryDelayMs(retry: number, random: number): number {
  const full = Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** (retry - 1));
  return Math.round(full * (1 - JITTER * random));
}

/**
 * When the service accepts the next request: `retry-after-ms`, `Retry-After` as seconds or HTTP date
 * (RFC 9110, section 10.2.3), or `RateLimit-Reset`.
 *
 * @returns ms, at most a day; null when the headers have no usable value
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const advice =
    decimal(headers.get('retry-after-ms'), 1) ??
    decimal(headers.get('retry-after'), 1_000) ??
    untilDate(headers.get('retry-after'), headers.get('date'), now) ??
    untilReset(headers.get('ratelimit-reset'), now);
  return advice === null ? null : Math.min(LONGEST_ADVICE_MS, advice);
}

function decimal(text: string | null, unitMs: number): number | null {
  const digits = text?.trim() ?? '';
  return /^\d+(?:\.\d+)?$/.test(digits) ? Math.ceil(Number(digits) * unitMs) : null;
}

function untilDate(text: string | null, date: string | null, now: number): number | null {
  const at = httpDate(text);
  // The date is relative to the server's clock.
  return at === null ? null : Math.max(0, at - (httpDate(date) ?? now));
}

function untilReset(text: string | null, now: number): number | null {
  const seconds = decimal(text, 1);
  if (seconds === null) return null;
  return seconds < UNIX_SECONDS_BEGIN ? seconds * 1_000 : Math.max(0, seconds * 1_000 - now);
}

/** The reason of a timed-out signal. */
export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';
}

/**
 * Runs a task with a signal that aborts on timeout (with a `DeadlineReached` as reason) or with the outer signal.
 * `AbortSignal.timeout` and `.any` would keep the signal alive until its time is up, however long the call is over.
 */
export async function withDeadline<Result>(
  ms: number,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const passOn = (): void => controller.abort(outer?.reason);
  if (outer?.aborted === true) passOn();
  outer?.addEventListener('abort', passOn, { once: true });
  const timer = setTimeout(
    () => controller.abort(new DeadlineReached(`No end within ${ms} ms`)),
    Math.min(ms, LONGEST_TIMER_MS),
  );
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', passOn);
  }
}
