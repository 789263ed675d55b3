import { z } from 'zod';
import { listenAddress } from './listen-schema.ts';

/** The section about the endpoint for Prometheus. */
export const metricsSchema = z.strictObject({
  listen: listenAddress
    .prefault('127.0.0.1:9464')
    .describe(
      'Where "GET /metrics" is answered: an address of this machine alone; every user of the machine can read the numbers',
    ),
});
