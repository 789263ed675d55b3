/**
 * What a failed request may be followed by.
 *
 * - `read`, `idempotent-write`: repeating is harmless
 * - `check-then-retry`: look whether it happened before repeating
 * - `never-after-send`: never repeat what the service may have received
 */
export type RetryClass = 'read' | 'idempotent-write' | 'check-then-retry' | 'never-after-send';

/**
 * How a request failed.
 *
 * - `rate-limited`: 429
 * - `never-sent`: refused, no such host, no connection in time
 * - `ambiguous`: 5xx, or sent without a whole answer
 * - `final`: repeating cannot help
 */
export type Failure = 'rate-limited' | 'never-sent' | 'ambiguous' | 'final';

/** Whether the client itself may repeat the request; what is ambiguous of a write, its resource resolves. */
export function mayRepeat(retry: RetryClass, failure: Failure): boolean {
  if (failure === 'final') return false;
  if (failure === 'rate-limited' || failure === 'never-sent') return true;
  return retry === 'read' || retry === 'idempotent-write';
}
