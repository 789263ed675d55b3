import { z } from 'zod';

import { secretReference } from '../core/secret-reference.ts';
import { duration } from './units.ts';

/** The section about the dead man's switch. */
export const heartbeatSchema = z.strictObject({
  url: secretReference.describe(
    'Address that receives a GET request, which is a secret: https, or http on this machine',
  ),
  every: duration({ min: '10s', max: '1d' }).prefault('5m').describe('Interval'),
});

/** Splits "127.0.0.1:9464" or "[::1]:9464" into host and port; null for anything else. */
function addressOf(text: string): { readonly host: string; readonly port: number } | null {
  const found = /^(?:\[(::1)\]|(127(?:\.\d{1,3}){3})):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  const isHost = host !== undefined && host.split('.').every((part) => !(Number(part) > 255));
  return isHost && port <= 65_535 ? { host, port } : null;
}

/** A loopback address to listen on; parsed to host and port. */
export const listenAddress = z
  .string()
  .transform((text, context) => {
    const address = addressOf(text);
    if (address !== null) return address;
    context.issues.push({
      code: 'custom',
      input: text,
      message: `is not a loopback address: ${JSON.stringify(text)}, expected one such as 127.0.0.1:9464 or "[::1]:9464"`,
    });
    return z.NEVER;
  })
  .meta({ title: 'loopback address' });

/** Default port of the endpoint for Prometheus. */
export const METRICS_PORT = 9464;

/** The section about the endpoint for Prometheus. */
export const metricsSchema = z.strictObject({
  listen: listenAddress
    .prefault(`127.0.0.1:${METRICS_PORT}`)
    .describe(
      'Loopback address that serves "GET /metrics"; every user of this machine can read the metrics. If the default port is in use, a free one is chosen and kept: "hookbell status" shows it',
    ),
});

/** Default port of the reply page. */
export const REPLY_PORT = 7447;

/** The section about the page on which people answer agents. */
export const replyPageSchema = z
  .strictObject({
    listen: listenAddress
      .prefault(`127.0.0.1:${REPLY_PORT}`)
      .describe(
        'Loopback address that serves the page; its port must stay the same. If the default port is in use, a free one is chosen and kept: "hookbell status" shows it',
      ),
    expire_after: duration({ min: '1m', max: '7d' })
      .prefault('12h')
      .describe('An unused link expires after this long'),
  })
  .transform(({ listen, expire_after: expireAfterMs }) => ({ listen, expireAfterMs }));
