import { z } from 'zod';

import type { BudgetPolicy, DigestPolicy } from '../core/vendor-policy.ts';
import { dailyKeys, oneOrMore, refuseReversed } from './hours-schema.ts';
import { weekdays } from './quiet-schema.ts';

/** The digest that is sent by itself; comes out as the `DigestPolicy`. */
export const digestSchema = z
  .strictObject({
    notify: oneOrMore(z.string().min(1)).describe('Names of channels; mail shows it best'),
    each: oneOrMore(z.string().min(1))
      .exactOptional()
      .describe(
        'Names of mail channels with `to_concerned`, through which everybody who used credits gets a digest of their own',
      ),
    every: z.enum(['day', 'week']).default('day').describe('How much time it tells of'),
    weekday: z.enum(weekdays).default('mon').describe('On which day the weekly one is sent'),
    users: z.boolean().default(false).describe('Name people; without it there are sums alone'),
    ...dailyKeys,
  })
  .superRefine(refuseReversed)
  .transform(({ notify, each, every, weekday, users, ...schedule }): DigestPolicy => ({
    notify,
    each: each ?? [],
    every,
    weekday: weekdays.indexOf(weekday),
    users,
    schedule,
  }));

const credits = z.number().positive();
const limits = z.record(z.string().min(1), credits).default({});

/** Budgets of standard credits; comes out as the `BudgetPolicy`. */
export const budgetSchema = z
  .strictObject({
    organization: credits
      .exactOptional()
      .describe('Standard credits a calendar month (UTC), in all'),
    models: limits.describe('Credits a month by model id; "*" for each other one'),
    users: limits.describe('Credits a month by e-mail address or user id; "*" for each other one'),
    thresholds: z
      .array(z.number().min(1).max(1_000))
      .min(1)
      .default([50, 80, 100])
      .describe('Percent of a budget that are told of, each once a month'),
    rate: z
      .strictObject({
        price: credits.describe('So much money'),
        per: credits.describe('for so many standard credits'),
        currency: z
          .string()
          .regex(/^[A-Z]{3}$/, { error: 'is no currency, expected one such as EUR' })
          .describe('Its three letters'),
      })
      .exactOptional()
      .describe('What credits cost you; estimates in money are shown only with it'),
    anomaly: z
      .strictObject({
        floor: credits.describe('A day with fewer credits is never unusual'),
        users: z.boolean().default(false).describe('Look at single users, too, and name them'),
      })
      .exactOptional()
      .describe('Tell of a day that used far more than the four weeks before it'),
    ...dailyKeys,
  })
  .superRefine(refuseReversed)
  .transform(
    ({ organization, models, users, thresholds, rate, anomaly, ...schedule }): BudgetPolicy => ({
      organization: organization ?? null,
      models,
      users: Object.fromEntries(
        Object.entries(users).map(([name, limit]) => [name.toLowerCase(), limit]),
      ),
      thresholds: [...new Set(thresholds)].toSorted((one, other) => one - other),
      rate: rate ?? null,
      anomaly: anomaly ?? null,
      schedule,
    }),
  );
