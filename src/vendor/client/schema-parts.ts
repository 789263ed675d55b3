import { z } from 'zod';

/* The parts parameters are made of. Unlike responses, parameters are checked strictly: a typo never travels. */

/** A day for `startDate` and `endDate`. */
export const dayParameter = z
  .string()
  .refine(isUtcDay, 'expected a day that exists, as YYYY-MM-DD');

/** A non-empty id, cursor or other string. */
export const textParameter = z.string().min(1, 'expected a non-empty string');

const pageSize = 'expected a whole number from 1 to 100';
/** Page size of every paginated route but readiness. */
export const limitParameter = z.int(pageSize).min(1, pageSize).max(100, pageSize);

/** A text of 1 to 63 characters: a computer's name or user. Characters are counted, not UTF-16 units. */
export const shortText = z.string().refine((value) => {
  const length = Array.from(value).length;
  return length >= 1 && length <= 63;
}, 'expected 1 to 63 characters');

/** An e-mail address, loosely: the directory decides, and hosts without a dot and other scripts exist. */
export const emailParameter = z
  .string()
  .max(320, 'expected an email address')
  .regex(/^[^\s@<>]+@[^\s@<>]+$/, 'expected an email address');

/*
 * The parts all response schemas are made of. Responses are read loosely: unknown fields survive, an optional
 * field may be missing or null, and lengths and formats are not checked.
 */

export const text = z.string().nullish();
export const number = z.number().nullish();
export const flag = z.boolean().nullish();
export const texts = z.array(z.string()).nullish();
/** An object whose inner shape is not documented. */
export const anyObject = z.record(z.string(), z.unknown());
/** Documented as "string or null", so null is not drift; therefore not `nullish()`. */
export const textOrNull = z.union([z.string(), z.null()]).optional();

/** Unix time in milliseconds. */
export const UnixMs = z.number().brand<'UnixMs'>();
/** Unix time of undocumented unit; see `dateOfEpoch`. */
export const EpochUnknown = z.number().brand<'EpochUnknown'>();
/** A date and time as the service wrote it. */
export const IsoDateTime = z.string().brand<'IsoDateTime'>();
/** A day, `YYYY-MM-DD`, UTC. */
export const UtcDay = z.string().brand<'UtcDay'>();
/** Standard credits: neither tokens nor money. */
export const StandardCredits = z.number().brand<'StandardCredits'>();
export const SessionId = z.string().brand<'SessionId'>();
export const ComputerId = z.string().brand<'ComputerId'>();
export const UserId = z.string().brand<'UserId'>();
export const ReportId = z.string().brand<'ReportId'>();

export type UnixMs = z.infer<typeof UnixMs>;
export type EpochUnknown = z.infer<typeof EpochUnknown>;
export type IsoDateTime = z.infer<typeof IsoDateTime>;
export type UtcDay = z.infer<typeof UtcDay>;
export type StandardCredits = z.infer<typeof StandardCredits>;
export type SessionId = z.infer<typeof SessionId>;
export type ComputerId = z.infer<typeof ComputerId>;
export type UserId = z.infer<typeof UserId>;
export type ReportId = z.infer<typeof ReportId>;

/**
 * An enum the service may extend: editors offer the known values and any other string passes, so that an added value breaks
 * no program (https://github.com/vercel/sdk/issues/299).
 */
export function openEnum<const Known extends readonly [string, ...string[]]>(known: Known) {
  return z.union([z.enum(known), z.custom<string & {}>((value) => typeof value === 'string')]);
}

/** An open enum with undocumented literals: an unlisted value is not drift. */
export function incompleteEnum<const Known extends readonly [string, ...string[]]>(known: Known) {
  return openEnum(known).meta({ incomplete: true });
}

/** The pagination object of the `/api/v0` lists. */
export const Pagination = z.looseObject({ hasMore: flag, nextCursor: text });
export type Pagination = z.infer<typeof Pagination>;

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
export function isUtcDay(day: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false;
  const at = Date.parse(`${day}T00:00:00Z`);
  // Some engines roll "2026-02-30" over into March.
  return !Number.isNaN(at) && dayOf(at) === day;
}

/** The day of a moment (Unix ms), in UTC whatever `TZ` says. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The day `days` days later, or earlier if negative. */
export function addDays(day: string, days: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

/** The last day with data. */
export function yesterday(now: number): string {
  return addDays(dayOf(now), -1);
}

/** The last `count` days with data: the default range of reports. */
export function lastDays(count: number, now: number): DayRange {
  const endDate = yesterday(now);
  return { startDate: addDays(endDate, 1 - count), endDate };
}

export function countDays({ startDate, endDate }: DayRange): number {
  return Math.round((Date.parse(endDate) - Date.parse(startDate)) / DAY_MS) + 1;
}

/** Every day of a range, oldest first. */
export function daysOf(range: DayRange): string[] {
  return Array.from({ length: countDays(range) }, (_, index) => addDays(range.startDate, index));
}
