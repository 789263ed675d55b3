import { z } from 'zod';
import type { BudgetPolicy } from '../core/budget.ts';
import { dailyKeys, refuseReversed } from './daily-schema.ts';

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
