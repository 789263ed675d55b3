import { z } from 'zod';
import type { NoisePolicy } from '../core/policy.ts';
import { duration } from './duration.ts';

const perHour = z.int().min(1).max(1_000);

/** How much people are told in how short a time; comes out as the policy's `NoisePolicy`. */
export const noiseSchema = z
  .strictObject({
    burst: z
      .strictObject({
        at_once: z.int().min(1).max(1_000).default(1).describe('So many ring at once'),
        window: duration({ min: '1ms', max: '1h' })
          .prefault('5s')
          .describe('What comes within so long after the first is told together at its end'),
      })
      .prefault({})
      .describe('Many events in a short time'),
    per_session: perHour.default(30).describe('Messages an hour about one session'),
    per_channel: perHour.default(120).describe('Messages an hour on one channel'),
    flap: duration({ max: '10m' })
      .prefault('0s')
      .describe(
        'No later step of a plan comes sooner than that: what is answered within it stays at the first',
      ),
  })
  .prefault({})
  .transform(({ burst, per_session, per_channel, flap }): NoisePolicy => ({
    burst: { atOnce: burst.at_once, windowMs: burst.window },
    perSessionAnHour: per_session,
    perChannelAnHour: per_channel,
    flapMs: flap,
  }));
