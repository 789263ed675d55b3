import { z } from 'zod';
import type { ComputerWatchPolicy } from '../core/watch.ts';
import { duration } from './duration.ts';
import { paceKeys, paceOf, refuseSpeedUp } from './pace-schema.ts';

const computers = z
  .strictObject({
    ...paceKeys({ every: '1m', slowDownTo: '10m' }),
    provisioning_longer_than: duration({ min: '1s' })
      .prefault('15m')
      .describe('Tell of one that is being set up for longer than this'),
  })
  .superRefine(refuseSpeedUp)
  .transform(({ provisioning_longer_than: provisioningMs, ...pace }): ComputerWatchPolicy => ({
    pace: paceOf(pace),
    provisioningMs,
  }));

/** What is watched at the service; each part comes out as its policy. */
export const watchSchema = z.strictObject({
  computers: computers
    .exactOptional()
    .describe('Computers: tell when one fails, or is being set up for long'),
});
