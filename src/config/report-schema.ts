import { z } from 'zod';

import { dailyKeys, oneOrMore, orNull, refuseReversed } from './units.ts';
import { weekdays } from './quiet-schema.ts';

/** The scheduled digest; parsed to the `DigestPolicy`. */
export const digestSchema = z
  .strictObject({
    notify: oneOrMore(z.string().min(1)).describe('Names of channels; email shows it best'),
    each: oneOrMore(z.string().min(1))
      .optional()
      .transform((names) => names ?? [])
      .describe(
        'Names of email channels with `to_concerned`; each user who used credits receives a personal digest through them',
      ),
    every: z.enum(['day', 'week']).default('day').describe('Period covered'),
    weekday: z.enum(weekdays).default('mon').describe('Day on which the weekly digest is sent'),
    users: z.boolean().default(false).describe('Name users; otherwise show only totals'),
    ...dailyKeys,
  })
  .superRefine(refuseReversed)
  .transform(({ at, until, timezone, weekday, ...contents }) => ({
    ...contents,
    weekday: weekdays.indexOf(weekday),
    schedule: { at, until, timezone },
  }));
export type DigestPolicy = z.output<typeof digestSchema>;

/** Time of a daily job; minutes since midnight in the time zone. */
export type DailySchedule = DigestPolicy['schedule'];

const credits = z.number().positive();
const limits = z.record(z.string().min(1), credits).default({});

/** Budgets of standard credits; parsed to the `BudgetPolicy`. */
export const budgetSchema = z
  .strictObject({
    organization: orNull(credits).describe('Total standard credits per calendar month (UTC)'),
    models: limits.describe('Credits per month by model id; "*" for every other model'),
    users: limits.describe(
      'Credits per month by email address or user id; "*" for every other user',
    ),
    thresholds: z
      .array(z.number().min(1).max(1_000))
      .min(1)
      .default([50, 80, 100])
      .describe('Percentages of a budget at which to notify, each once a month'),
    rate: orNull(
      z.strictObject({
        price: credits.describe('Price of the number of credits in "per"'),
        per: credits.describe('Number of standard credits'),
        currency: z
          .string()
          .regex(/^[A-Z]{3}$/, { error: 'is not a currency, expected one such as EUR' })
          .describe('Three-letter code of the currency'),
      }),
    ).describe('Your price of credits; without it, no cost estimates are shown'),
    anomaly: orNull(
      z.strictObject({
        floor: credits.describe('Ignore days with fewer credits than this'),
        users: z.boolean().default(false).describe('Also check individual users, and name them'),
      }),
    ).describe('Notify if a day used far more credits than the four weeks before'),
    ...dailyKeys,
  })
  .superRefine(refuseReversed)
  .transform(({ at, until, timezone, users, thresholds, ...limited }) => ({
    ...limited,
    /** By email address or user id, in lower case, or "*". */
    users: Object.fromEntries(
      Object.entries(users).map(([name, limit]) => [name.toLowerCase(), limit]),
    ),
    /** Lowest first. */
    thresholds: [...new Set(thresholds)].toSorted((one, other) => one - other),
    schedule: { at, until, timezone },
  }));
export type BudgetPolicy = z.output<typeof budgetSchema>;

/** Price of credits, as the user states it. */
export type CreditRate = NonNullable<BudgetPolicy['rate']>;
