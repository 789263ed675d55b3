import { BadRequestError } from '../api-errors.ts';
import { addDays, countDays, type DayRange, isUtcDay, yesterday } from '../schema-parts.ts';

/** A position in the windows of a range. The cursor of the service belongs to one window: others with it get a 400. */
export interface WindowPlace {
  /** The current window and the service's cursor in it; null at the start of the next window. */
  readonly inside: { readonly window: DayRange; readonly cursor: string } | null;
  /** First day of the remaining range. */
  readonly from: string;
}

const FORM = /^window:([\d-]{10})(?::([\d-]{10}):([^]*))?$/;

/** The position as one string for the whole range; `readWindowCursor` reads it. */
export function windowCursor({ inside, from }: WindowPlace): string {
  if (inside === null) return `window:${from}`;
  const { window, cursor } = inside;
  return `window:${window.startDate}:${window.endDate}:${cursor}`;
}

/** Null for a text that `windowCursor` did not make for this range. */
export function readWindowCursor(text: string, range: DayRange): WindowPlace | null {
  const [, start = '', end, cursor = ''] = FORM.exec(text) ?? [];
  const isInRange = (day: string): boolean =>
    isUtcDay(day) && day >= range.startDate && day <= range.endDate;
  if (!isInRange(start)) return null;
  if (end === undefined) return { inside: null, from: start };
  if (!isInRange(end) || end < start) return null;
  const window = { startDate: start, endDate: end };
  return { inside: { window, cursor }, from: addDays(end, 1) };
}

/** The first day with data. */
export const EARLIEST_DAY = '2026-01-14';

type CheckedRange =
  | { readonly ok: true; readonly range: DayRange; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** Checks a range against the days with data. An earlier start is moved to the first of them, with a warning. */
export function checkRange({ startDate, endDate }: DayRange, now: number): CheckedRange {
  const latest = yesterday(now);
  if (endDate < startDate) {
    return { ok: false, problem: `endDate "${endDate}" is before startDate "${startDate}"` };
  }
  if (endDate > latest) {
    const problem = `endDate is "${endDate}", but data ends yesterday (UTC), "${latest}"`;
    return { ok: false, problem };
  }
  if (endDate < EARLIEST_DAY) {
    return { ok: false, problem: `data begins on ${EARLIEST_DAY}, the range ends "${endDate}"` };
  }
  if (startDate >= EARLIEST_DAY) return { ok: true, range: { startDate, endDate }, warnings: [] };
  const moved = `startDate moved from "${startDate}" to "${EARLIEST_DAY}", where data begins`;
  return { ok: true, range: { startDate: EARLIEST_DAY, endDate }, warnings: [moved] };
}

/** Splits a range into pieces of at most `days` days, oldest first. */
export function splitRange({ startDate, endDate }: DayRange, days: number): DayRange[] {
  const pieces: DayRange[] = [];
  for (let start = startDate; start <= endDate; start = addDays(start, days)) {
    const end = addDays(start, days - 1);
    pieces.push({ startDate: start, endDate: end < endDate ? end : endDate });
  }
  return pieces;
}

/** Two halves; a single day is returned unchanged. */
export function halveRange(range: DayRange): DayRange[] {
  return splitRange(range, Math.ceil(countDays(range) / 2));
}

export interface WindowPlan {
  readonly range: DayRange;
  /** Longest range per request; the service's maximum is not documented. */
  readonly windowDays: number;
  /** Whether to omit a refused last day, once: around midnight UTC our yesterday can still be the service's today. */
  readonly stepBack: boolean;
  readonly warn: (warning: string) => void;
}

/** Iterates over a range in windows, oldest first. A refused window is halved, unless the refusal is about the dates. */
export async function* walkWindows<Page>(
  plan: WindowPlan,
  pagesOf: (window: DayRange) => AsyncIterable<Page>,
): AsyncGenerator<Page, void, undefined> {
  const todo = splitRange(plan.range, plan.windowDays);
  let hasStepped = false;
  for (let window = todo.shift(); window !== undefined; window = todo.shift()) {
    let hasBegun = false;
    try {
      for await (const page of pagesOf(window)) {
        hasBegun = true;
        yield page;
      }
    } catch (error) {
      // A started iteration cannot start over: its rows are already out.
      if (hasBegun || !(error instanceof BadRequestError)) throw error;
      const isLast = window.endDate === plan.range.endDate;
      if (!speaksOfDates(error)) {
        if (countDays(window) === 1) throw error;
        todo.unshift(...halveRange(window));
      } else if (plan.stepBack && isLast && !hasStepped) {
        hasStepped = true;
        const { startDate, endDate: refused } = window;
        plan.warn(`Day "${refused}" is omitted: ${error.detail ?? 'the service refused it'}`);
        const endDate = addDays(refused, -1);
        if (endDate >= startDate) todo.unshift({ startDate, endDate });
      } else {
        throw error;
      }
    }
  }
}

/** "Date range too long" is about the length, "invalid date" and "today" are not. */
function speaksOfDates({ title, detail }: BadRequestError): boolean {
  return /today|yesterday|date format|\bdates?\b(?! range)|YYYY/i.test(`${title} ${detail}`);
}
