import type { Redact } from '../../text/redact.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { addDays, type DayRange, daysOf, type NamedCount } from '../client/index.ts';
import { amountText } from './check-budgets.ts';

/** Shown for a figure without data, which is not zero. */
export const NOT_YET = 'not available yet';

const NAME_LENGTH = 60;
const MOST_BARS = 8;

interface Dated {
  readonly date: string;
}

export function rowsWithin<Row extends Dated>(
  rows: readonly Row[],
  days: DayRange,
): readonly Row[] {
  return rows.filter(({ date }) => date >= days.startDate && date <= days.endDate);
}

type AmountOf<Row> = (row: Row) => number | null | undefined;

/** A sum over these days; null if a day is missing, so that partial sums are never compared. */
function sumOver<Row extends Dated>(
  rows: readonly Row[],
  days: DayRange,
  amountOf: AmountOf<Row>,
): number | null {
  if (rowsWithin(rows, days).length < daysOf(days).length) return null;
  return knownSum(rows, days, amountOf);
}

/** The sum over these days, without the missing ones. */
export function knownSum<Row extends Dated>(
  rows: readonly Row[],
  days: DayRange,
  amountOf: AmountOf<Row>,
): number {
  return rowsWithin(rows, days).reduce((sum, row) => sum + (amountOf(row) ?? 0), 0);
}

export function courseOf<Row extends Dated>(
  rows: readonly Row[],
  days: DayRange,
  amountOf: AmountOf<Row>,
): readonly Point[] {
  const byDay = new Map(rows.map((row) => [row.date, amountOf(row) ?? null]));
  return daysOf(days).map((day) => ({ day, amount: byDay.get(day) ?? null }));
}

/** In percent; null without a value to compare with. */
export function percentChange(now: number | null, before: number | null): string | null {
  if (now === null || before === null || before === 0) return null;
  const percent = Math.round((now / before - 1) * 100);
  return percent > 0 ? `+${percent} %` : `${percent} %`;
}

export function figures(...list: readonly Figure[]): Block {
  return { type: 'figures', figures: list };
}

export function bars(title: string, ...from: Parameters<typeof barsOf>): Block {
  return { type: 'bars', title, bars: barsOf(...from) };
}

export function course(title: string, points: readonly Point[]): Block {
  return { type: 'course', title, points };
}

export function figure(label: string, amount: number, change: string | null = null): Figure {
  return { label, value: amountText(amount), change };
}

/** A sum over the days, compared with the week before if both are complete; unknown without any day. */
export function summed<Row extends Dated>(
  label: string,
  rows: readonly Row[],
  { days, before }: Pick<DigestDays, 'days' | 'before'>,
  amountOf: AmountOf<Row>,
): Figure {
  if (rowsWithin(rows, days).length === 0) return { label, value: NOT_YET, change: null };
  const change = percentChange(sumOver(rows, days, amountOf), sumOver(rows, before, amountOf));
  return figure(label, knownSum(rows, days, amountOf), change);
}

export function addUp(entries: readonly NamedCount[]): readonly NamedCount[] {
  const sums = new Map<string, number>();
  for (const { name, count } of entries) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].map(([name, count]) => ({ name, count }));
}

/** The largest entries, and the others as one, without zeros. Names are untrusted: they are cleaned, cut and redacted. */
function barsOf(
  entries: readonly NamedCount[],
  redact: Redact,
  options: {
    readonly textOf?: (amount: number) => string;
    readonly changeOf?: (entry: NamedCount) => string | null;
  } = {},
): readonly Bar[] {
  const { textOf = amountText, changeOf = () => null } = options;
  const sorted = entries
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count || one.name.localeCompare(other.name));
  const rest = sorted.slice(MOST_BARS);
  const shown = sorted.slice(0, MOST_BARS).map((entry): Bar => ({
    label: cutText(redact(displayLine(entry.name)), NAME_LENGTH) || 'unnamed',
    amount: entry.count,
    value: textOf(entry.count),
    change: changeOf(entry),
  }));
  if (rest.length === 0) return shown;
  const amount = rest.reduce((sum, { count }) => sum + count, 0);
  return [...shown, { label: `${rest.length} more`, amount, value: textOf(amount), change: null }];
}

/** The layout of a digest for all renderers: clean plain text, not escaped for any markup. */
export interface Digest {
  /** One line. */
  readonly title: string;
  /** Missing or late data, one line each. */
  readonly remarks: readonly string[];
  readonly sections: readonly Section[];
}

export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly type: 'figures'; readonly figures: readonly Figure[] }
  | { readonly type: 'bars'; readonly title: string; readonly bars: readonly Bar[] }
  | { readonly type: 'course'; readonly title: string; readonly points: readonly Point[] };

export interface Figure {
  readonly label: string;
  readonly value: string;
  /** Change from the week before, such as "+12 %"; null if unknown. */
  readonly change: string | null;
}

export interface Bar {
  readonly label: string;
  readonly amount: number;
  readonly value: string;
  readonly change: string | null;
}

/** One day of a course; null without data, which is not zero. */
export interface Point {
  readonly day: string;
  readonly amount: number | null;
}

/** The days of a digest, the days they are compared with, and the longer course. */
export interface DigestDays {
  readonly days: DayRange;
  /** The same days of the week before, so that weekdays match. */
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
