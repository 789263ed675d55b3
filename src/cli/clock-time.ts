import { UsageError } from '../core/errors.ts';

const CLOCK_TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
/** A date, and a time unless it is midnight in UTC; without a zone it is on the clock of this machine. */
const WHOLE_TIME =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * The next time the clock of this machine shows a time of the day such as "18:00", Unix ms; later than `now`.
 *
 * @throws UsageError when the text is no time of the day
 */
export function nextClockTime(text: string, now: number): number {
  const at = clockTime(text, now);
  if (at === null) throw new UsageError(`The time is "${text}", expected one such as 18:00`);
  // By the calendar, since a day on which the clock is put forward or back has no 24 hours.
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/**
 * A time of today, such as "22:30", or a whole one, such as "2026-01-05T22:30"; Unix ms.
 *
 * @throws UsageError when the text is neither
 */
export function readTime(text: string, now: number): number {
  const at = clockTime(text, now)?.getTime() ?? (WHOLE_TIME.test(text) ? Date.parse(text) : NaN);
  if (!Number.isNaN(at)) return at;
  throw new UsageError(`The time is "${text}", expected one such as 2026-01-05T22:30 or 22:30`);
}

/** That time on the day of `now`; null where the text is no time of the day. */
function clockTime(text: string, now: number): Date | null {
  const [, hours, minutes] = CLOCK_TIME.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  const at = new Date(now);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  return at;
}
