export const DAY_MS = 86_400_000;

/** The first day with data, by the interface's document. */
export const FIRST_DAY = '2026-01-14';

/** The UTC day of a time in Unix ms, as YYYY-MM-DD. */
export function utcDayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export function shiftDay(day: string, count: number): string {
  return utcDayOf(Date.parse(day) + count * DAY_MS);
}

/** How many days a range has, both ends included. */
export function spanOf(start: string, end: string): number {
  return (Date.parse(end) - Date.parse(start)) / DAY_MS + 1;
}

/** All days from `start` to `end`, both included; none when `end` is the earlier one. */
export function daysBetween(start: string, end: string): string[] {
  const days: string[] = [];
  for (let day = start; day <= end; day = shiftDay(day, 1)) days.push(day);
  return days;
}

/** True for a day of the calendar written YYYY-MM-DD: 2026-02-30 is not one. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && utcDayOf(time) === text;
}

export function isWeekend(day: string): boolean {
  return [0, 6].includes(new Date(day).getUTCDay());
}

/** The service's own time, Unix ms; it stands still unless it is moved or follows a running clock. */
export interface MockClock {
  now(): number;
  set(time: number): void;
  advance(ms: number): void;
}

/** @param start a fixed time, or a clock to follow */
export function createMockClock(start: number | (() => number)): MockClock & { reset(): void } {
  const source = typeof start === 'number' ? () => start : start;
  let offset = 0;
  return {
    now: () => source() + offset,
    set: (time) => {
      offset = time - source();
    },
    advance: (ms) => {
      offset += ms;
    },
    reset: () => {
      offset = 0;
    },
  };
}
