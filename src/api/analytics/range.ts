import type { DayRange } from '../utc-day.ts';
import { addDays, countDays, yesterday } from '../utc-day.ts';

/** The first day with data. */
export const EARLIEST_DAY = '2026-01-14';

export type CheckedRange =
  | { readonly ok: true; readonly range: DayRange; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Checks a range against the days that have data. An earlier start is moved to the first of them, with a
 * warning; whether the service would refuse it is not documented.
 */
export function checkRange({ startDate, endDate }: DayRange, now: number): CheckedRange {
  const latest = yesterday(now);
  if (endDate < startDate) {
    return { ok: false, problem: `endDate "${endDate}" is before startDate "${startDate}"` };
  }
  if (endDate > latest) {
    const problem = `endDate is "${endDate}", but data reaches to yesterday (UTC), "${latest}"`;
    return { ok: false, problem };
  }
  if (endDate < EARLIEST_DAY) {
    return { ok: false, problem: `data begins on ${EARLIEST_DAY}, the range ends "${endDate}"` };
  }
  if (startDate >= EARLIEST_DAY) return { ok: true, range: { startDate, endDate }, warnings: [] };
  const moved = `startDate moved from "${startDate}" to "${EARLIEST_DAY}", where data begins`;
  return { ok: true, range: { startDate: EARLIEST_DAY, endDate }, warnings: [moved] };
}

/** Splits a range into pieces of at most so many days, oldest first. */
export function splitRange({ startDate, endDate }: DayRange, days: number): DayRange[] {
  const pieces: DayRange[] = [];
  for (let start = startDate; start <= endDate; start = addDays(start, days)) {
    const end = addDays(start, days - 1);
    pieces.push({ startDate: start, endDate: end < endDate ? end : endDate });
  }
  return pieces;
}

/** Two halves; a single day stays as it is. */
export function halveRange(range: DayRange): DayRange[] {
  return splitRange(range, Math.ceil(countDays(range) / 2));
}
