import { z } from 'zod';

import type { QuietHours } from '../core/policy.ts';
import type { WorkingHours } from '../core/waiting.ts';
import { localTimezone } from '../platform/time.ts';
import { oneOrMore, timeOfDay, timezone, timezoneName } from './units.ts';
import { kindsSchema } from './match-schema.ts';

/** In the order of their numbers, 0 = Sunday. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

const quietWindow = z
  .strictObject(
    {
      from: timeOfDay.describe('Start, such as "22:00"'),
      to: timeOfDay.describe(
        'End; may be on the next day. The same time as "from" means a whole day and needs "days"',
      ),
      timezone: timezone.describe("Time zone name (default: this machine's time zone)"),
      days: oneOrMore(z.enum(weekdays))
        .exactOptional()
        .describe('Days on which it starts (default: every day)'),
      let_through: kindsSchema
        .exactOptional()
        .describe('Kinds that are sent anyway, such as turn.failed'),
      // oxlint-disable-next-line unicorn/no-thenable -- the key of the configuration; never awaited
      then: z
        .union([
          z.enum(['hold', 'discard']),
          z.strictObject({ channels: oneOrMore(z.string().min(1)) }),
        ])
        .prefault('hold')
        .describe(
          '"hold": send everything together at the end; "discard": send nothing; { channels }: send to these channels instead',
        ),
    },
    { error: wrongForm },
  )
  .superRefine(({ from, to, days }, context) => {
    const isEveryDay = days === undefined || weekdays.every((day) => days.includes(day));
    if (from !== to || !isEveryDay) return;
    const message =
      'is the same as "from", so quiet hours never end: set another time or, for whole days, add "days", such as "days: [sat, sun]"';
    context.addIssue({ code: 'custom', path: ['to'], message });
  })
  .transform(({ from, to, timezone: zone, days, let_through, then }): QuietHours => ({
    from,
    to,
    timezone: zone,
    days: days === undefined ? null : days.map((day) => weekdays.indexOf(day)),
    letThrough: let_through ?? [],
    meanwhile:
      typeof then === 'string' ? { type: then } : { type: 'channels', channels: then.channels },
  }));

const quietWindows = z
  .array(quietWindow)
  .min(1)
  .superRefine((windows, context) => {
    if (!coversTheWeek(windows)) return;
    const message = 'covers the whole week, so quiet hours never end';
    context.addIssue({ code: 'custom', path: [], message });
  });

/** Quiet hours: one window or several; parsed to the policy's list of `QuietHours`. */
export const quietHoursSchema = z.union(
  [quietWindow.transform((window): readonly QuietHours[] => [window]), quietWindows],
  { error: () => wrongForm({ code: 'invalid_type' }) },
);

/** Working hours; parsed to a function that returns them, because the first look at the time zone takes a tenth of the daemon's start. */
export const workingHoursSchema = z
  .strictObject({
    from: timeOfDay.prefault('09:00').describe('Start, such as "09:00"'),
    to: timeOfDay
      .prefault('18:00')
      .describe('End; may be on the next day. The same time as "from" means a whole day'),
    timezone: timezoneName.describe("Time zone name (default: this machine's time zone)"),
    days: oneOrMore(z.enum(weekdays))
      .prefault(['mon', 'tue', 'wed', 'thu', 'fri'])
      .describe('Days on which they start'),
  })
  .transform(({ days, timezone: zone, ...range }) => (): WorkingHours => ({
    ...range,
    timezone: zone ?? localTimezone(),
    days: days.map((day) => weekdays.indexOf(day)),
  }));

const DAY_MINUTES = 1_440;

/** Windows in different time zones are not compared, because their clocks change on different days. */
function coversTheWeek(windows: readonly QuietHours[]): boolean {
  const week = 7 * DAY_MINUTES;
  if (new Set(windows.map(({ timezone: zone }) => zone)).size !== 1) return false;
  const spans = windows
    .flatMap(({ from, to, days }) =>
      (days ?? weekdays.map((_, day) => day)).flatMap((day) => {
        const start = day * DAY_MINUTES + from;
        const end = start + ((to - from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES);
        // The night from Saturday to Sunday ends in the next week.
        return [
          { start, end },
          { start: start - week, end: end - week },
        ];
      }),
    )
    .toSorted((a, b) => a.start - b.start);
  let covered = 0;
  for (const { start, end } of spans) if (start <= covered) covered = Math.max(covered, end);
  return covered >= week;
}

/** The short form "22:00-07:00" has no place for `days` and `then`. */
function wrongForm({ code }: { readonly code?: string | undefined }): string | undefined {
  return code === 'invalid_type'
    ? 'is not a mapping, expected { from: "22:00", to: "07:00" } or a list of these'
    : undefined;
}
