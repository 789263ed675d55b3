import { type Outcome, retry } from '../core/outcome.ts';
import type { StartTimer } from '../platform/time.ts';

/** Longest wait for the result of a channel that was aborted, ms. */
export const ABANDON_MS = 1_000;

export interface AttemptEnd {
  /** The channel's outcome, or the one recorded in its place. */
  readonly outcome: Outcome;
  /** `silent`: it ignored its timeout. `threw`: it has a bug. `unrendered`: it was not called. */
  readonly manner: 'answered' | 'silent' | 'threw' | 'unrendered';
  readonly error?: unknown;
}

/** Lets a channel send for `timeoutMs`, plus `ABANDON_MS` to return. Never rejects; a later result is ignored. */
export async function runAttempt({
  send,
  timeoutMs,
  shutdown,
  startTimer,
}: {
  readonly send: (signal: AbortSignal) => Promise<Outcome>;
  readonly timeoutMs: number;
  readonly shutdown: AbortSignal;
  readonly startTimer: StartTimer;
}): Promise<AttemptEnd> {
  const attempt = new AbortController();
  const stop = (): void => attempt.abort();
  const cancels = [startTimer(timeoutMs, stop)];
  const silence = new Promise<AttemptEnd>((resolve) => {
    attempt.signal.addEventListener('abort', () => {
      cancels.push(startTimer(ABANDON_MS, () => resolve(silent(shutdown))));
    });
  });
  shutdown.addEventListener('abort', stop);
  if (shutdown.aborted) stop();

  try {
    return await Promise.race([answer(send, attempt.signal), silence]);
  } finally {
    shutdown.removeEventListener('abort', stop);
    for (const cancel of cancels) cancel();
  }
}

async function answer(
  send: (signal: AbortSignal) => Promise<Outcome>,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  try {
    const outcome = await send(signal);
    // A channel written without types may return something else.
    if (!['delivered', 'retry', 'failed'].includes(outcome.type)) throw new TypeError('No outcome');
    return { outcome, manner: 'answered' };
  } catch (error) {
    // Not the error's message: it may contain the notification, which may have arrived.
    const name = error instanceof Error ? error.name : typeof error;
    const outcome = retry(`Channel bug: ${name}`, { possibleDuplicate: true });
    return { outcome, manner: 'threw', error };
  }
}

function silent(shutdown: AbortSignal): AttemptEnd {
  const reason = shutdown.aborted
    ? 'The daemon stopped before the channel answered'
    : 'The channel did not answer in time';
  return { outcome: retry(reason, { possibleDuplicate: true }), manner: 'silent' };
}
