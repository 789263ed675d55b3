import { UsageError } from '../core/errors.ts';

const CLOCK_TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/**
 * The next time the clock of this machine shows a time of the day such as "18:00", Unix ms; later than `now`.
 *
 * @throws UsageError when the text is no time of the day
 */
export function nextClockTime(text: string, now: number): number {
  const [, hours, minutes] = CLOCK_TIME.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) {
    throw new UsageError(`The time is "${text}", expected one such as 18:00`);
  }
  const at = new Date(now);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  // By the calendar, since a day on which the clock is put forward or back has no 24 hours.
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}
