import { BadRequestError } from '../errors.ts';
import type { DayRange } from '../utc-day.ts';
import { addDays, countDays } from '../utc-day.ts';
import { halveRange, splitRange } from './range.ts';

export interface WindowPlan {
  readonly range: DayRange;
  /** Longest piece to ask for; the service's longest range is not documented. */
  readonly windowDays: number;
  /**
   * Whether a refused last day is left out, once. For scheduled jobs: around midnight UTC, or with a clock ahead
   * of the service's, our yesterday can still be its today.
   */
  readonly stepBack: boolean;
  readonly warn: (warning: string) => void;
}

/**
 * Walks a range in windows, oldest first. A window that is refused is halved down to single days, in case it was
 * too long, unless the refusal speaks of the dates themselves.
 */
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
      // A walk that has begun cannot start over: its rows are out.
      if (hasBegun || !(error instanceof BadRequestError)) throw error;
      const isLast = window.endDate === plan.range.endDate;
      if (!speaksOfDates(error)) {
        if (countDays(window) === 1) throw error;
        todo.unshift(...halveRange(window));
      } else if (plan.stepBack && isLast && !hasStepped) {
        hasStepped = true;
        plan.warn(`Day "${window.endDate}" is left out: ${error.detail ?? 'it was refused'}`);
        const endDate = addDays(window.endDate, -1);
        if (endDate >= window.startDate) todo.unshift({ startDate: window.startDate, endDate });
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
