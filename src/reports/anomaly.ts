import { addDays, daysOf } from '../api/index.ts';
import { isWeekend } from './calendar.ts';
import type { Series } from './series.ts';

/** A day on which far more was used than usual; credits are standard credits. */
export interface Anomaly {
  readonly day: string;
  readonly spent: number;
  /** The median of the days before; null where too few are known to say what is usual. */
  readonly usual: number | null;
}

const HISTORY_DAYS = 28;
/** With fewer known days the floor alone decides. */
const ENOUGH_DAYS = 7;
/** From so many known days of the same class on, only those are compared with. */
const ENOUGH_OF_CLASS = 4;
/** Makes the median absolute deviation comparable with a standard deviation, for normally distributed values. */
const MAD_SCALE = 1.4826;

/**
 * Whether a day stands out of the 28 before it, itself excluded, so that it cannot hide itself. Median and median absolute
 * deviation are not moved by the one spike of last week; a deviation of at least 5 % of the median is assumed, so
 * that a series which is always the same does not ring at the first change.
 *
 * @param floor a day below it is never unusual
 * @returns null when the day is usual, or not known
 */
export function anomalyOf(series: Series, day: string, floor: number): Anomaly | null {
  const spent = series.get(day);
  if (spent === undefined || spent < floor) return null;
  const before = daysOf({ startDate: addDays(day, -HISTORY_DAYS), endDate: addDays(day, -1) });
  const known = before.filter((one) => series.has(one));
  if (known.length < ENOUGH_DAYS) return { day, spent, usual: null };

  const sameClass = known.filter((one) => isWeekend(one) === isWeekend(day));
  const compared = sameClass.length >= ENOUGH_OF_CLASS ? sameClass : known;
  const values = compared.map((one) => series.get(one) ?? 0);
  const usual = median(values);
  const deviation = MAD_SCALE * median(values.map((value) => Math.abs(value - usual)));
  const bound = usual + 4 * Math.max(deviation, 0.05 * usual);
  return spent > 3 * usual && spent > bound ? { day, spent, usual } : null;
}

/** @param values at least one */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
