import { localTime } from '../core/local-time.ts';
import type { HourRange } from '../core/policy.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** A range for people: "22:00-07:30 Europe/Berlin". */
export function rangeText({ from, to, timezone }: HourRange): string {
  return `${clockText(from)}-${clockText(to)} ${timezone}`;
}

function clockText(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** Whether an instant lies in the range; a range whose ends are equal is the whole day. */
export function isWithin({ from, to, timezone }: HourRange, at: number): boolean {
  const { minutes } = localTime(at, timezone);
  if (from < to) return minutes >= from && minutes < to;
  return minutes >= from || minutes < to;
}

/** Clocks are set by two hours at most: https://data.iana.org/time-zones/tz-link.html (Antarctica/Troll). */
const LARGEST_SHIFT = 120;

/**
 * When a range that `at` lies in is over: the first minute after it that is outside, Unix ms. Right on the days on which
 * the clock is changed, also where the end does not exist on that day (02:30 in spring). A range that is the whole day is
 * over when it would begin anew.
 */
export function endOf(range: HourRange, at: number): number {
  const start = at - (at % MINUTE_MS);
  const { minutes } = localTime(start, range.timezone);
  const missing = (range.to - minutes + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  const expected = start + missing * MINUTE_MS;
  const isEnd = (instant: number): boolean =>
    localTime(instant, range.timezone).minutes === range.to;
  if (isEnd(expected)) return expected;
  // The clock is changed meanwhile, which may end the range early: set back, it can show a time before the beginning.
  const isWholeDay = range.from === range.to;
  const latest = expected + LARGEST_SHIFT * MINUTE_MS;
  const earliest = isWholeDay ? expected - LARGEST_SHIFT * MINUTE_MS : start;
  let end = Math.max(earliest, start) + MINUTE_MS;
  while (end < latest && (isWholeDay ? !isEnd(end) : isWithin(range, end))) end += MINUTE_MS;
  return end;
}
