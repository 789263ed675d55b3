const SECONDS_END = 1e11;
const MILLISECONDS_END = 1e14;

/**
 * Reads a time of unknown unit (`EpochUnknown`) for display only: below 1e11 as seconds (up to the year 5138), below 1e14 as
 * milliseconds.
 *
 * @returns null when neither fits
 */
export function dateOfEpoch(value: number): Date | null {
  if (!(value >= 0) || value >= MILLISECONDS_END) return null;
  return new Date(value < SECONDS_END ? value * 1_000 : value);
}

const DAY_MS = 86_400_000;

/** A range of days, `YYYY-MM-DD`, UTC, both ends included. */
export interface DayRange {
  readonly startDate: string;
  readonly endDate: string;
}

/** Whether a text is a valid day, as `YYYY-MM-DD`. */
export function isUtcDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  // Some engines roll "2026-02-30" over into March.
  return !Number.isNaN(at) && dayOf(at) === text;
}

/** The day of a moment (Unix ms), in UTC whatever `TZ` says. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The day `days` days later, or earlier if negative. */
export function addDays(day: string, days: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

/** The last day with data: data of a day is available on the next one. */
export function yesterday(now: number): string {
  return addDays(dayOf(now), -1);
}

/** The last `count` days with data: the default range of reports. */
export function lastDays(count: number, now: number): DayRange {
  const endDate = yesterday(now);
  return { startDate: addDays(endDate, 1 - count), endDate };
}

/** Number of days in a range. */
export function countDays({ startDate, endDate }: DayRange): number {
  return Math.round((Date.parse(endDate) - Date.parse(startDate)) / DAY_MS) + 1;
}

/** Every day of a range, oldest first. */
export function daysOf(range: DayRange): string[] {
  return Array.from({ length: countDays(range) }, (_, index) => addDays(range.startDate, index));
}
