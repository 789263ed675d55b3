import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

/**
 * Polls for a change that another process makes without an event. `condition` may throw
 * while its files are not there yet.
 *
 * @throws when it does not come true within 30 s, with what it threw last as the cause
 */
export async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let trouble: unknown;
  while (performance.now() < giveUpAt) {
    try {
      if (condition()) return;
    } catch (error) {
      trouble = error;
    }
    await delay(5);
  }
  throw new Error(`Not true within ${PATIENCE_MS} ms: ${String(condition)}`, { cause: trouble });
}
