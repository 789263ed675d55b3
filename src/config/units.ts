import { z } from 'zod';

import type { HourRange } from '../core/policy.ts';
import { isTimezone, localTimezone } from '../platform/time.ts';
import { DURATION, parseDuration } from '../text/duration.ts';

/** Text that `parse` understands; null: it does not, and `problem` completes a sentence that begins with the key. */
export function textAs<Value>(
  parse: (text: string) => Value | null,
  problem: (quoted: string) => string,
) {
  return z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== null) return value;
    context.issues.push({ code: 'custom', input: text, message: problem(JSON.stringify(text)) });
    return z.NEVER;
  });
}

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const RANGE = /^(\S+)\s*-\s*(\S+)$/;

/** A time of day, such as "22:00"; parsed to minutes after midnight. */
export const timeOfDay = z
  .string({ error: 'is not a time of day: write it in quotes, such as "22:00"' })
  .regex(TIME, { error: 'is not a time of day, expected one such as "07:30" or "22:00"' })
  .transform(minutesOf)
  .meta({ title: 'time of the day' });

/** The name of a time zone. */
export const timezoneName = z
  .string()
  .refine(isTimezone, { error: 'is not a time zone, expected a name such as Europe/Berlin or UTC' })
  .optional();

/** The name of a time zone; defaults to the time zone of this machine. */
export const timezone = timezoneName
  // Not a default: the schema and the reference would show the zone of the machine that wrote them.
  .transform((name) => name ?? localTimezone());

const namedRange = z.strictObject({ from: timeOfDay, to: timeOfDay, timezone });

const shortRange = z
  .string()
  .regex(RANGE, { error: 'is not a range of hours, expected one such as "09:00-18:00"' })
  .transform((text, context): HourRange => {
    const [, from = '', to = ''] = RANGE.exec(text) ?? [];
    if (TIME.test(from) && TIME.test(to)) {
      return { from: minutesOf(from), to: minutesOf(to), timezone: timezone.parse(undefined) };
    }
    const message = 'is not a range of hours, expected one such as "09:00-18:00"';
    context.issues.push({ code: 'custom', input: text, message });
    return z.NEVER;
  });

/** Hours of the day: "09:00-18:00", or with a time zone { from, to, timezone }. It may span midnight. */
export const hourRange = z.union([shortRange, namedRange]);

function minutesOf(text: string): number {
  const [hours = '0', minutes = '0'] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Keys of a section whose job runs once a day. The data of a day arrive at an unknown hour of the next day. */
export const dailyKeys = {
  at: timeOfDay.prefault('08:00').describe('Time at which it runs, for the previous day (UTC)'),
  until: timeOfDay
    .prefault('14:00')
    .describe(
      "While the previous day's data is missing, retry hourly until this time, then continue without it",
    ),
  timezone: timezone.describe("Time zone name (default: this machine's time zone)"),
};

/** Adds an issue if `until` is not later than `at`. */
export function refuseReversed(
  { at, until }: { readonly at: number; readonly until: number },
  context: z.RefinementCtx,
): void {
  if (until > at) return;
  context.addIssue({ code: 'custom', path: ['until'], message: 'is not later than "at"' });
}

/** The value of a key that may be missing; null if it is. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value) => value ?? null);
}

/** A switch; parsed to a boolean. */
export const onOrOff = z.enum(['on', 'off']).transform((value) => value === 'on');

/** A value or a list of values; always parsed to a list. */
export function oneOrMore<Item extends z.ZodType>(item: Item) {
  return z.union([item.transform((value) => [value]), z.array(item).min(1)]);
}

const SIZE = /^(\d{1,9})(B|kB|KB|MB|GB)$/;
const BYTES: Readonly<Record<string, number>> = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9 };

/** A size such as "500MB" (units of 1,000); parsed to bytes. */
export function size({ min }: { min: string }) {
  return z
    .string({ error: ({ input }) => (typeof input === 'number' ? notASize(input) : undefined) })
    .regex(SIZE, { error: ({ input }) => notASize(input) })
    .transform(parseSize)
    .refine((bytes) => bytes >= parseSize(min), { error: `is smaller than ${min}` })
    .meta({ title: 'size' });
}

function parseSize(text: string): number {
  const [, amount, unit] = SIZE.exec(text) ?? [];
  return Number(amount) * (BYTES[unit ?? ''] ?? Number.NaN);
}

function notASize(input: unknown): string {
  return `is not a size: ${JSON.stringify(input)}, expected a number with a unit, such as 200kB, 500MB or 2GB`;
}

const TEN_YEARS_MS = 3_650 * 86_400_000;

/**
 * A duration such as "1h30m"; parsed to ms. A bare number is refused, because it could mean seconds or milliseconds.
 *
 * @param options inclusive bounds, written as durations
 */
export function duration({ min = '0s', max = '3650d' }: { min?: string; max?: string } = {}) {
  const minMs = parseDuration(min) ?? 0;
  const maxMs = parseDuration(max) ?? TEN_YEARS_MS;
  return z
    .string({ error: ({ input }) => (typeof input === 'number' ? notADuration(input) : undefined) })
    .regex(DURATION, { error: ({ input }) => notADuration(input) })
    .transform((text) => parseDuration(text) ?? Number.POSITIVE_INFINITY)
    .refine((ms) => ms >= minMs, { error: `is shorter than ${min}` })
    .refine((ms) => ms <= maxMs, { error: `is longer than ${max}` })
    .meta({ title: 'duration' });
}

/** Completes a sentence that begins with the name of the key. */
export function notADuration(input: unknown): string {
  return `is not a duration: ${JSON.stringify(input)}, expected a number with a unit, such as 500ms, 30s, 2m, 1h30m or 90d`;
}
