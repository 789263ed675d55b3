import { ageText, parseDuration } from '../text/duration.ts';
import { UsageError } from '../platform/errors.ts';

const CLOCK_TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
/** A date with an optional time: a date alone is midnight UTC, a time without a zone is local. */
const WHOLE_TIME =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Returns the next local time of day such as "18:00" after `now`, Unix ms.
 *
 * @throws UsageError if the text is not a time of day
 */
export function nextClockTime(text: string, now: number): number {
  const at = clockTime(text, now);
  if (at === null) throw new UsageError(`The time is "${text}", expected one such as 18:00`);
  // By the calendar, because a day with a clock change does not have 24 hours.
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/**
 * Reads a time of today, such as "22:30", or a full one, such as "2026-01-05T22:30", as Unix ms.
 *
 * @param more further examples, for the error
 * @throws UsageError if the text is neither
 */
export function readTime(text: string, now: number, more = ''): number {
  const at = clockTime(text, now)?.getTime() ?? (WHOLE_TIME.test(text) ? Date.parse(text) : NaN);
  if (!Number.isNaN(at)) return at;
  throw new UsageError(
    `The time is "${text}", expected one such as ${more}22:30 or 2026-01-05T22:30`,
  );
}

/** Returns that time on the day of `now`; null if the text is not a time of day. */
function clockTime(text: string, now: number): Date | null {
  const [, hours, minutes] = CLOCK_TIME.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  const at = new Date(now);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  return at;
}

/** Formats the age of a time for people. */
export function ageSince(iso: string, now: number): string {
  return ageText(now - Date.parse(iso));
}

/** "3 min ago"; "-" if it is unset. */
export function agoText(at: string | null): string {
  return at === null ? '-' : `${ageSince(at, Date.now())} ago`;
}

/** Formats a local time, with its date unless that is today. */
export function localTimeText(iso: string, now: number): string {
  const at = new Date(iso);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':');
  const day = dayOf(at);
  return day === dayOf(new Date(now)) ? time : `${day} ${time}`;
}

/** Formats a local time to the minute, with its date unless that is today. */
export function clockText(iso: string, now: number): string {
  return localTimeText(iso, now).slice(0, -3);
}

/** Replaces each UTC time of a text, as the daemon writes them, by the local time. */
export function withLocalTimes(text: string, now: number): string {
  return text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g, (iso) =>
    Number.isNaN(Date.parse(iso)) ? iso : localTimeText(iso, now),
  );
}

function dayOf(at: Date): string {
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** Reads a duration, such as "30m", as ms. */
export function readDuration(value: string): number {
  const ms = parseDuration(value);
  if (ms !== null && ms > 0) return ms;
  throw new UsageError(`The duration is "${value}", expected one such as 30m or 1h30m`);
}

/** Reads the start of a time range as Unix ms: a duration before now, "today", "yesterday" or a time. */
export function readSince(text: string): number {
  const daysAgo = ['today', 'yesterday'].indexOf(text.toLowerCase());
  if (daysAgo >= 0) {
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    // By the calendar, because a day with a clock change does not have 24 hours.
    midnight.setDate(midnight.getDate() - daysAgo);
    return midnight.getTime();
  }
  const backMs = parseDuration(text);
  return backMs === null ? readTime(text, Date.now(), '2h, yesterday, ') : Date.now() - backMs;
}
