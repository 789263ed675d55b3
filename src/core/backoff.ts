/**
 * Exponential backoff with full jitter: a random wait between 0 and the doubled base, so that many failed
 * deliveries do not come back in step.
 *
 * @param attempt counts from 1 (the attempt that just failed)
 * @param random a number in [0, 1)
 * @returns ms to wait, at least 250 so that a retry is never a tight loop
 */
export function backoffMs(
  attempt: number,
  random: number,
  { baseMs = 1_000, capMs = 300_000 }: { baseMs?: number; capMs?: number } = {},
): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.max(250, Math.round(random * ceiling));
}
