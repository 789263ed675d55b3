import { parseDuration } from '../core/duration-text.ts';
import { UsageError } from '../core/errors.ts';

/** Reads a length of time, such as "30m"; comes out in ms. */
export function readDuration(value: string): number {
  const ms = parseDuration(value);
  if (ms !== null && ms > 0) return ms;
  throw new UsageError(`The length of time is "${value}", expected one such as 30m or 1h30m`);
}
