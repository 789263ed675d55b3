import { addDays, type DayRange } from '../client/index.ts';

/** A digest as it is laid out, whatever shows it: clean plain text, not escaped for any markup. */
export interface Digest {
  /** One line. */
  readonly title: string;
  /** What is missing or late, one line each. */
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
  /** Against the week before, such as "+12 %"; null where that is not known. */
  readonly change: string | null;
}

export interface Bar {
  readonly label: string;
  /** Decides how long it is. */
  readonly amount: number;
  readonly value: string;
  readonly change: string | null;
}

/** One day of a course; null where it is not known, which is not zero. */
export interface Point {
  readonly day: string;
  readonly amount: number | null;
}

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
