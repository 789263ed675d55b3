import { z } from 'zod';

import { secretReference } from '../core/secret-reference.ts';
import { duration } from './units.ts';

/** The section about the dead man's switch. */
export const heartbeatSchema = z.strictObject({
  url: secretReference.describe(
    'The address that is asked for (GET), which is a secret: https, or http on this machine',
  ),
  every: duration({ min: '10s', max: '1d' }).prefault('5m').describe('How often'),
});

/** "127.0.0.1:9464" or "[::1]:9464" apart; null for anything else. */
function addressOf(text: string): { readonly host: string; readonly port: number } | null {
  const found = /^(?:\[(::1)\]|(127(?:\.\d{1,3}){3})):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  const isHost = host !== undefined && host.split('.').every((part) => !(Number(part) > 255));
  return isHost && port <= 65_535 ? { host, port } : null;
}

/** Where hookbell listens on this machine alone; comes out as host and port. */
export const listenAddress = z
  .string()
  .transform((text, context) => {
    const address = addressOf(text);
    if (address !== null) return address;
    context.issues.push({
      code: 'custom',
      input: text,
      message: `is no address of this machine alone: ${JSON.stringify(text)} needs to be like 127.0.0.1:9464 or "[::1]:9464"`,
    });
    return z.NEVER;
  })
  .meta({ title: 'loopback address' });

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

/** Where it is served unless the configuration names another port. */
export const REPLY_PORT = 7447;

/** The section about the page on which people answer agents. */
export const replyPageSchema = z
  .strictObject({
    listen: listenAddress
      .prefault(`127.0.0.1:${REPLY_PORT}`)
      .describe(
        'Where the page is served: an address of this machine alone, whose port stays the same. Where the default port is taken, a free one is used and kept: "hookbell status" shows it',
      ),
    expire_after: duration({ min: '1m', max: '7d' })
      .prefault('12h')
      .describe('A link nobody has used no longer works after so long'),
  })
  .transform(({ listen, expire_after: expireAfterMs }) => ({ listen, expireAfterMs }));
