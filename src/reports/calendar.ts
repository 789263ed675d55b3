import type { DayRange } from '../api/index.ts';
import { addDays } from '../api/index.ts';

/** The calendar month a day belongs to, from its first to its last day. */
export function monthOf(day: string): DayRange {
  const startDate = `${day.slice(0, 7)}-01`;
  const nextMonth = `${addDays(startDate, 31).slice(0, 7)}-01`;
  return { startDate, endDate: addDays(nextMonth, -1) };
}

/** Saturday or Sunday, UTC. People work on other days, so the two kinds of days are never compared. */
export function isWeekend(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6;
}
