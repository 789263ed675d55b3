import { z } from 'zod';
import { secretReference } from '../core/secret-reference.ts';
import { duration } from './duration.ts';

/** The section about the dead man's switch. */
export const heartbeatSchema = z.strictObject({
  url: secretReference.describe(
    'The address that is asked for (GET), which is a secret: https, or http on this machine',
  ),
  every: duration({ min: '10s', max: '1d' }).prefault('5m').describe('How often'),
});
