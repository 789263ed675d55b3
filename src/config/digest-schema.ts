import { z } from 'zod';
import type { DigestPolicy } from '../core/digest.ts';
import { dailyKeys, refuseReversed } from './daily-schema.ts';
import { oneOrMore } from './one-or-more.ts';
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
