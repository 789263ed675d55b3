import { z } from 'zod';

import type { HourRange } from '../core/policy.ts';

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const RANGE = /^(\S+)\s*-\s*(\S+)$/;

/** A time of day, such as "22:00"; parsed to minutes after midnight. */
export const timeOfDay = z
  .string({ error: 'is not a time of day: write it in quotes, such as "22:00"' })
  .regex(TIME, { error: 'is not a time of day, expected one such as "07:30" or "22:00"' })
  .transform(minutesOf)
  .meta({ title: 'time of the day' });

/** The name of a time zone; defaults to the time zone of this machine. */
export const timezone = z
  .string()
  .refine(isTimezone, { error: 'is not a time zone, expected a name such as Europe/Berlin or UTC' })
  .optional()
  // Not a default: the schema and the reference would show the zone of the machine that wrote them.
  .transform((name) => name ?? Intl.DateTimeFormat().resolvedOptions().timeZone);

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

function isTimezone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Keys of a section whose job runs once a day. The data of a day arrive at an unknown hour of the next day. */
export const dailyKeys = {
  at: timeOfDay.prefault('08:00').describe('When it runs, for the day before (UTC)'),
  until: timeOfDay
    .prefault('14:00')
    .describe(
      'While the data of the day before are missing, retry hourly until this time, then go on without them',
    ),
  timezone: timezone.describe('Name of the time zone; defaults to the time zone of this machine'),
};

/** Adds an issue if `until` is not later than `at`. */
export function refuseReversed(
  { at, until }: { readonly at: number; readonly until: number },
  context: z.RefinementCtx,
): void {
  if (until > at) return;
  context.addIssue({ code: 'custom', path: ['until'], message: 'is not later than "at"' });
}

/** A value or a list of values; always parsed to a list. */
export function oneOrMore<Item extends z.ZodType>(item: Item) {
  return z.union([item.transform((value) => [value]), z.array(item).min(1)]);
}
