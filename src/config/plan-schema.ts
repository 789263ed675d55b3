import { z } from 'zod';
import { duration } from './units.ts';
import { hourRange } from './hours-schema.ts';
import { matchSchema } from './match-schema.ts';

const name = z.string().min(1);
const channels = z.union([name, z.array(name).min(1)]);

const step = z.strictObject({
  after: duration()
    .prefault('0s')
    .describe('How long after the alert was opened; nothing is sent if it was answered before'),
  notify: channels.describe('Names of channels'),
  repeat: z
    .strictObject({
      every: duration({ min: '1s' }).describe('How long after the last time'),
      at_most: z.int().min(2).max(100).describe('How often in all, the first time included'),
    })
    .exactOptional()
    .describe('Again and again, while nobody reacts'),
  if: z
    .strictObject({
      presence: z
        .enum(['here', 'away'])
        .exactOptional()
        .describe('Whether you are at this machine; unknown counts as fulfilled'),
      hours: hourRange.exactOptional().describe('Only within these hours of the day'),
      attended: z.boolean().exactOptional().describe('Whether a person sits at the session'),
    })
    .exactOptional()
    .describe('The step is left out unless all of this holds when it is due'),
});

/** Ordered steps of a plan, from most eager to most patient. */
export const stepsSchema = z
  .array(step)
  .min(1)
  .superRefine((steps, context) => {
    for (const [index, { after }] of steps.entries()) {
      const before = steps[index - 1]?.after;
      // A duration that is wrong by itself is neither earlier nor later, and was found already.
      if (before === undefined || !(after <= before)) continue;
      const message = 'has to be later than that of the step before it';
      context.addIssue({ code: 'custom', path: [index, 'after'], message });
    }
  });
export type StepsOption = z.output<typeof stepsSchema>;

/** One rule: which events, and the plan for them (by name, written out, or just the channels to notify at once). */
export const routeSchema = z
  .strictObject({
    match: matchSchema
      .prefault({})
      .describe('Conditions that must all hold; none fits every event'),
    plan: z
      .union([name, stepsSchema])
      .optional()
      .describe('Name of a plan, or its steps; "none" tells nobody'),
    notify: channels.optional().describe('Channels to notify at once, instead of a plan'),
    also: z.boolean().default(false).describe('Go on to the next route as well'),
  })
  .superRefine(({ plan, notify }, context) => {
    if ((plan === undefined) !== (notify === undefined)) return;
    const message =
      plan === undefined
        ? 'needs a plan, or channels to notify'
        : 'has both "plan" and "notify", expected one';
    context.addIssue({ code: 'custom', path: [], message });
  });
export type RouteOption = z.output<typeof routeSchema>;
