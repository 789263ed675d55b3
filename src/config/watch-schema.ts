import { z } from 'zod';
import type {
  ComputerWatchPolicy,
  ControlsWatchPolicy,
  ReadinessWatchPolicy,
} from '../core/watch.ts';
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

const readiness = z
  .strictObject({
    ...paceKeys({ every: '1h', slowDownTo: '6h' }),
    repositories: z
      .array(z.string().min(1))
      .default([])
      .describe('Only these: addresses, or the ends of such as acme/api'),
  })
  .superRefine(refuseSpeedUp)
  .transform(({ repositories, ...pace }): ReadinessWatchPolicy => ({
    pace: paceOf(pace),
    repositories,
  }));

const controls = z
  .strictObject(paceKeys({ every: '10m', slowDownTo: '1h' }))
  .superRefine(refuseSpeedUp)
  .transform((pace): ControlsWatchPolicy => ({ pace: paceOf(pace) }));

/** What is watched at the service; each part comes out as its policy. */
export const watchSchema = z.strictObject({
  computers: computers
    .exactOptional()
    .describe('Computers: tell when one fails, or is being set up for long'),
  readiness: readiness
    .exactOptional()
    .describe('Readiness reports: tell when a criterion fell against the clean report before'),
  controls: controls
    .exactOptional()
    .describe('Enterprise controls: tell who changed what, and mark what loosens them'),
});
