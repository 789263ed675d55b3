import { z } from 'zod';
import { duration } from './units.ts';
import { hourRange } from './hours-schema.ts';
import { matchSchema } from './match-schema.ts';

const name = z.string().min(1);
const channels = z.union([name, z.array(name).min(1)]);

const step = z.strictObject({
  after: duration()
    .prefault('0s')
    .describe('Delay after the alert opened; nothing is sent if it was answered before'),
  notify: channels.describe('Names of channels'),
  repeat: z
    .strictObject({
      every: duration({ min: '1s' }).describe('Interval between notifications'),
      at_most: z
        .int()
        .min(2)
        .max(100)
        .describe('Total number of notifications, including the first'),
    })
    .exactOptional()
    .describe('Repeat the notification until someone reacts'),
  if: z
    .strictObject({
      presence: z
        .enum(['here', 'away'])
        .exactOptional()
        .describe('Whether you are at this machine; an unknown presence matches'),
      hours: hourRange.exactOptional().describe('Only within these hours of the day'),
      attended: z.boolean().exactOptional().describe('Whether the session is interactive'),
    })
    .exactOptional()
    .describe('Conditions checked when the step is due; unless all of them hold, it is skipped'),
});

/** Steps of a plan, in the order of their delays. */
export const stepsSchema = z
  .array(step)
  .min(1)
  .superRefine((steps, context) => {
    for (const [index, { after }] of steps.entries()) {
      const before = steps[index - 1]?.after;
      // An invalid duration cannot be compared, and is reported already.
      if (before === undefined || !(after <= before)) continue;
      const message = 'is not later than "after" of the previous step';
      context.addIssue({ code: 'custom', path: [index, 'after'], message });
    }
  });
export type StepsOption = z.output<typeof stepsSchema>;

/** One route: conditions on events, and the plan for them (by name, inline, or the channels to notify immediately). */
export const routeSchema = z
  .strictObject({
    match: matchSchema
      .prefault({})
      .describe('Conditions that must all hold; without any, every event matches'),
    plan: z
      .union([name, stepsSchema])
      .optional()
      .describe('Name of a plan, or its steps; "none" sends nothing'),
    notify: channels.optional().describe('Channels to notify immediately, instead of a plan'),
    also: z.boolean().default(false).describe('Continue with the next route'),
  })
  .superRefine(({ plan, notify }, context) => {
    if ((plan === undefined) !== (notify === undefined)) return;
    const message =
      plan === undefined
        ? 'has neither "plan" nor "notify", expected one'
        : 'has both "plan" and "notify", expected one';
    context.addIssue({ code: 'custom', path: [], message });
  });
export type RouteOption = z.output<typeof routeSchema>;
