import type { BudgetPolicy, CreditRate } from '../../config/report-schema.ts';
import { addDays, type DayRange, daysOf, type TokenRow } from '../client/index.ts';
import { creditSeries, type Series } from './series.ts';

/** How fast a budget is used up; credits are standard credits. */
interface CreditProjection {
  readonly spent: number;
  readonly limit: number;
  /** Of the limit; 1 is all of it. */
  readonly share: number;
  /** Days of the month to date without data: they are not in `spent`. */
  readonly missingDays: readonly string[];
  /** Projected usage at the end of the month; null without data. */
  readonly projected: number | null;
  /** The day on which usage reached or will reach the limit; null: not within this month. */
  readonly crossesOn: string | null;
}

/** Days of history for the daily mean, and for what is usual. */
const LOOK_BACK_DAYS = 28;

/**
 * Compares the month to date with a limit. Missing and future days are projected as the mean of the known days of the last
 * four weeks, weekdays and weekends separately. @param asOf the last complete day
 */
export function projectCredits(series: Series, limit: number, asOf: string): CreditProjection {
  const month = monthOf(asOf);
  const expectedOn = expectation(series, asOf);
  const missingDays: string[] = [];
  let spent = 0;
  let projected: number | null = 0;
  let crossesOn: string | null = null;
  for (const day of daysOf(month)) {
    const measured = day <= asOf ? series.get(day) : undefined;
    if (measured === undefined && day <= asOf) missingDays.push(day);
    spent += measured ?? 0;
    const expected = measured ?? expectedOn(day);
    projected = projected === null || expected === null ? null : projected + expected;
    // Even without a projection, the known days can reach the limit.
    if (Math.max(projected ?? 0, spent) >= limit) crossesOn ??= day;
  }
  return { spent, limit, share: spent / limit, missingDays, projected, crossesOn };
}

/** Mean usage of such a day; null without known days. */
function expectation(series: Series, asOf: string): (day: string) => number | null {
  const days = daysOf({ startDate: addDays(asOf, 1 - LOOK_BACK_DAYS), endDate: asOf });
  const meanOf = (wanted: (day: string) => boolean): number | null => {
    const measured = days.filter(wanted).flatMap((day) => series.get(day) ?? []);
    return measured.length === 0
      ? null
      : measured.reduce((sum, one) => sum + one, 0) / measured.length;
  };
  const overall = meanOf(() => true);
  const onWeekends = meanOf(isWeekend) ?? overall;
  const onWeekdays = meanOf((day) => !isWeekend(day)) ?? overall;
  return (day) => (isWeekend(day) ? onWeekends : onWeekdays);
}

/** A day with unusual usage; credits are standard credits. */
interface Anomaly {
  readonly day: string;
  readonly spent: number;
  /** The median of the days before; null if too few are known. */
  readonly usual: number | null;
}

/** With fewer known days only the floor decides. */
const ENOUGH_DAYS = 7;
/** With at least this many known days of the same class, only those are compared. */
const ENOUGH_OF_CLASS = 4;
/** Makes the median absolute deviation comparable with a standard deviation, for normally distributed values. */
const MAD_SCALE = 1.4826;

/**
 * Compares a day with the 28 before it, itself excluded, so that it cannot hide itself. Median and median absolute deviation
 * resist a single spike in the last week; a deviation of at least 5 % of the median is assumed, so that a constant series does
 * not alert at the first change.
 *
 * @param floor days below it are never unusual
 * @returns null when the day is usual or has no data
 */
export function anomalyOf(series: Series, day: string, floor: number): Anomaly | null {
  const spent = series.get(day);
  if (spent === undefined || spent < floor) return null;
  const before = daysOf({ startDate: addDays(day, -LOOK_BACK_DAYS), endDate: addDays(day, -1) });
  const measured = before.filter((one) => series.has(one));
  if (measured.length < ENOUGH_DAYS) return { day, spent, usual: null };

  const sameClass = measured.filter((one) => isWeekend(one) === isWeekend(day));
  const compared = sameClass.length >= ENOUGH_OF_CLASS ? sameClass : measured;
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

/** Consumer of credits; `name` is a model id, an e-mail address or a user id, and null for the organization. */
export interface Spender {
  readonly scope: 'organization' | 'model' | 'user';
  readonly name: string | null;
}

export type BudgetLine = Spender & CreditProjection;
export type UnusualDay = Spender & Anomaly;

export interface BudgetReport {
  readonly asOf: string;
  readonly month: DayRange;
  /** The organization first, then by share, highest first. */
  readonly budgets: readonly BudgetLine[];
  readonly anomalies: readonly UnusualDay[];
}

/** The days a report of `asOf` needs: the month, and four weeks for the baseline. */
export function daysForBudgets(asOf: string): DayRange {
  const { startDate } = monthOf(asOf);
  const back = addDays(asOf, -LOOK_BACK_DAYS);
  return { startDate: back < startDate ? back : startDate, endDate: asOf };
}

export function checkBudgets(
  rows: readonly TokenRow[],
  policy: Omit<BudgetPolicy, 'schedule'>,
  asOf: string,
): BudgetReport {
  const { organization, models, users } = creditSeries(rows);
  const whole: Spender = { scope: 'organization', name: null };
  const budgets = [
    ...linesOf('model', models, policy.models, asOf),
    ...linesOf('user', users, policy.users, asOf),
  ].toSorted((one, other) => other.share - one.share);
  if (policy.organization !== null) {
    budgets.unshift({ ...whole, ...projectCredits(organization, policy.organization, asOf) });
  }
  return {
    asOf,
    month: monthOf(asOf),
    budgets,
    anomalies: policy.anomaly === null ? [] : anomaliesIn(policy.anomaly),
  };

  function anomaliesIn({
    floor,
    users: isEach,
  }: NonNullable<BudgetPolicy['anomaly']>): UnusualDay[] {
    const spenders = isEach
      ? [...users].map(([name, series]) => ({ scope: 'user', name, series }) as const)
      : [];
    return [{ ...whole, series: organization }, ...spenders].flatMap(({ series, ...spender }) => {
      const found = anomalyOf(series, asOf, floor);
      return found === null ? [] : [{ ...spender, ...found }];
    });
  }
}

/** An individual budget or the default one; a name with a budget is included even without usage. */
function linesOf(
  scope: Spender['scope'],
  found: ReadonlyMap<string, Series>,
  limits: Readonly<Record<string, number>>,
  asOf: string,
): BudgetLine[] {
  const byKey = new Map(Object.entries(limits));
  const others = byKey.get(EACH_OTHER);
  byKey.delete(EACH_OTHER);
  return [...new Set([...byKey.keys(), ...found.keys()])].flatMap((name) => {
    const limit = byKey.get(name) ?? others;
    const series: Series = found.get(name) ?? new Map();
    return limit === undefined ? [] : [{ scope, name, ...projectCredits(series, limit, asOf) }];
  });
}

/** The calendar month a day belongs to, from its first to its last day. */
function monthOf(day: string): DayRange {
  const startDate = `${day.slice(0, 7)}-01`;
  const nextMonth = `${addDays(startDate, 31).slice(0, 7)}-01`;
  return { startDate, endDate: addDays(nextMonth, -1) };
}

/** Saturday or Sunday, UTC. Weekdays and weekends are never compared. */
function isWeekend(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6;
}

/** A whole number with thousands separators. */
export function amountText(amount: number): string {
  return Math.round(amount).toLocaleString('en-US');
}

export function creditAmount(credits: number): string {
  return `${amountText(credits)} standard credits`;
}

/** A share in percent; never rounded up to 100. */
export function shareText(share: number): string {
  return `${Math.floor(share * 100 + 1e-9)} %`;
}

/** The cost of credits at the configured rate; marked "estimate", because credits are not money. */
export function costText(credits: number, { price, per, currency }: CreditRate): string {
  const cost = ((credits * price) / per).toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return `${cost} ${currency} (estimate)`;
}

/** For the middle of a sentence. */
export function spenderText({ scope, name }: Spender): string {
  return name === null ? 'the organization' : `${scope} ${name}`;
}

/** In limits by name: everyone and everything without a separate limit. */
export const EACH_OTHER = '*';
