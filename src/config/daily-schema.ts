import type { z } from 'zod';
import { timeOfDay, timezone } from './hours-schema.ts';

/** Keys of a section whose job runs once a day; data of a day is there at an unknown hour of the next. */
export const dailyKeys = {
  at: timeOfDay.prefault('08:00').describe('When it runs, for the day before (UTC)'),
  until: timeOfDay
    .prefault('14:00')
    .describe(
      'While the day before is missing it tries again hourly, and makes do without from then on',
    ),
  timezone: timezone.describe('Name of the time zone; by default that of this machine'),
};

/** An issue where the last hour is not after the first. */
export function refuseReversed(
  { at, until }: { readonly at: number; readonly until: number },
  context: z.RefinementCtx,
): void {
  if (until > at) return;
  context.addIssue({ code: 'custom', path: ['until'], message: 'is not later than "at"' });
}
