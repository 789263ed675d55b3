import { LONGEST_TIMER_MS } from './wait.ts';

/** The reason of a signal whose time is up. */
export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';
}

/**
 * Runs a task with a signal that aborts when the time is up (with a `DeadlineReached` of its own as reason) or
 * the outer signal does. Own timers instead of `AbortSignal.timeout` and `.any`: those keep every call's signal
 * alive until its time is up, however long the call is over.
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
