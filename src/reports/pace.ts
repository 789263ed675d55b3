import { addDays, daysOf } from '../api/index.ts';
import { isWeekend, monthOf } from './calendar.ts';
import type { Series } from './series.ts';

/** How fast a budget is used up; credits are standard credits. */
export interface CreditPace {
  readonly spent: number;
  readonly limit: number;
  /** Of the limit; 1 is all of it. */
  readonly share: number;
  /** Days of the month so far that are not known: they are not in `spent`. */
  readonly missingDays: readonly string[];
  /** What it will be at the end of the month if it goes on like this; null where nothing is known to go by. */
  readonly projected: number | null;
  /** The day on which the limit was or will be reached; null: not within this month. */
  readonly crossesOn: string | null;
}

/** So far back, to know how much is used on such a day. */
const LOOK_BACK_DAYS = 28;

/**
 * The month to date against a limit. What is not known yet, missing days included, is projected as the mean of the known
 * days of the last four weeks, weekdays and weekends apart.
 *
 * @param asOf the last day that is complete
 */
export function paceOf(series: Series, limit: number, asOf: string): CreditPace {
  const month = monthOf(asOf);
  const expectedOn = expectation(series, asOf);
  const missingDays: string[] = [];
  let spent = 0;
  let projected: number | null = 0;
  let crossesOn: string | null = null;
  for (const day of daysOf(month)) {
    const known = day <= asOf ? series.get(day) : undefined;
    if (known === undefined && day <= asOf) missingDays.push(day);
    spent += known ?? 0;
    const expected = known ?? expectedOn(day);
    projected = projected === null || expected === null ? null : projected + expected;
    // What is known alone can reach the limit, too, where nothing can be projected.
    if (Math.max(projected ?? 0, spent) >= limit) crossesOn ??= day;
  }
  return { spent, limit, share: spent / limit, missingDays, projected, crossesOn };
}

/** How much such a day uses; null where no day is known. */
function expectation(series: Series, asOf: string): (day: string) => number | null {
  const days = daysOf({ startDate: addDays(asOf, 1 - LOOK_BACK_DAYS), endDate: asOf });
  const meanOf = (wanted: (day: string) => boolean): number | null => {
    const known = days.filter(wanted).flatMap((day) => series.get(day) ?? []);
    return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
  };
  const overall = meanOf(() => true);
  const onWeekends = meanOf(isWeekend) ?? overall;
  const onWeekdays = meanOf((day) => !isWeekend(day)) ?? overall;
  return (day) => (isWeekend(day) ? onWeekends : onWeekdays);
}
