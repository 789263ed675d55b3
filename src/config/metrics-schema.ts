import { z } from 'zod';
import { listenAddress } from './listen-schema.ts';

/** Where it is answered unless the configuration names another port. */
export const METRICS_PORT = 9464;

/** The section about the endpoint for Prometheus. */
export const metricsSchema = z.strictObject({
  listen: listenAddress
    .prefault(`127.0.0.1:${METRICS_PORT}`)
    .describe(
      'Where "GET /metrics" is answered: an address of this machine alone; every user of the machine can read the numbers. Where the default port is taken, a free one is used and kept: "hookbell status" shows it',
    ),
});
