import type { DayRange } from '../api/index.ts';
import { addDays } from '../api/index.ts';

/** The days of a digest, what they are compared with, and the longer course behind them. */
export interface DigestDays {
  readonly days: DayRange;
  /** The same days of the week before: a Monday is no Sunday. */
  readonly before: DayRange;
  readonly course: DayRange;
}

/** @param asOf the last complete day, UTC */
export function digestDays(asOf: string, every: 'day' | 'week'): DigestDays {
  const days = { startDate: addDays(asOf, every === 'day' ? 0 : -6), endDate: asOf };
  return {
    days,
    before: { startDate: addDays(days.startDate, -7), endDate: addDays(asOf, -7) },
    course: { startDate: addDays(asOf, -27), endDate: asOf },
  };
}
