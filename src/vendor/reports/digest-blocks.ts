import { addDays, type DayRange } from '../client/index.ts';

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
  /** Determines the length of the bar. */
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
