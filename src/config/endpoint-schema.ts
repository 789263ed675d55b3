import { z } from 'zod';

import { parseRelayAddress } from '../core/relay.ts';
import { secretReference } from '../core/secret-reference.ts';
import { isLocalHost } from '../platform/loopback-address.ts';
import { duration, orNull, textAs } from './units.ts';

/** The section about the dead man's switch. */
export const heartbeatSchema = z
  .strictObject({
    url: secretReference.describe(
      'Address that receives a GET request, a secret: https, or http on this machine',
    ),
    every: duration({ min: '10s', max: '1d' }).prefault('5m').describe('Interval'),
  })
  .transform(({ url, every: everyMs }) => ({ url, everyMs }));

/** A loopback address. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Splits "127.0.0.1:9464" or "[::1]:9464" into host and port; null for anything else. */
function addressOf(text: string): ListenAddress | null {
  const found = /^(?:\[(::1)\]|(127(?:\.\d{1,3}){3})):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  const isHost = host !== undefined && host.split('.').every((part) => !(Number(part) > 255));
  return isHost && port <= 65_535 ? { host, port } : null;
}

/** A loopback address to listen on; parsed to host and port. */
export const listenAddress = textAs(
  addressOf,
  (text) =>
    `is not a loopback address: ${text}, expected one such as 127.0.0.1:9464 or "[::1]:9464"`,
).meta({ title: 'loopback address' });

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

/** Default port of the page. */
export const PAGE_PORT = 7448;

/** The https address of a host and no more; others only if `isSafe`. Parsed to its origin. */
export function originOf(example: string, isSafe: (url: URL) => boolean) {
  return textAs(
    (text) => {
      if (!URL.canParse(text)) return null;
      const url = new URL(text);
      const isPlain = `${url.username}${url.search}${url.hash}` === '' && url.pathname === '/';
      return isPlain && (url.protocol === 'https:' || isSafe(url)) ? url.origin : null;
    },
    (text) => `is not the https address of a host: ${text}, expected one such as ${example}`,
  ).meta({ title: 'https address' });
}

/** An origin that the user's own proxy serves. */
export const proxyUrl = originOf('https://bell.example.org', ({ hostname }) =>
  isLocalHost(hostname),
);

/** The section about the page with sessions, events and channels. */
export const pageSchema = z
  .strictObject({
    listen: listenAddress
      .prefault(`127.0.0.1:${PAGE_PORT}`)
      .describe(
        'Loopback address that serves the page. If the default port is in use, a free one is chosen and kept: "hookbell status" shows it',
      ),
    url: orNull(proxyUrl).describe(
      'Address at which your own HTTPS proxy serves the page, such as https://bell.example.org, so that a phone can open it',
    ),
    expire_after: duration({ min: '1h', max: '365d' })
      .prefault('30d')
      .describe('A browser that has not opened the page for this long has to sign in again'),
  })
  .transform(({ expire_after: expireAfterMs, ...page }) => ({ ...page, expireAfterMs }));

const path = z.string().min(1);

/** The section of the machine that other machines relay to. */
export const listenSchema = z
  .strictObject({
    socket: orNull(path).describe(
      'Path of the unix socket; defaults to run/relay.sock in the state directory',
    ),
    port: z.int().min(1).max(65_535).exactOptional().describe('Also listen on this port'),
    host: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Address of that port; any except loopback requires TLS'),
    certificate: path
      .exactOptional()
      .describe('PEM file with the certificate (and its chain) for TLS'),
    key: path.exactOptional().describe('PEM file with its private key, readable only by you'),
  })
  .superRefine(({ port, host, certificate, key }, context) => {
    const refuse = (at: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [at], message });
    if ((certificate === undefined) !== (key === undefined)) {
      const [given, missing] = key === undefined ? ['certificate', 'key'] : ['key', 'certificate'];
      refuse(given, `has no effect without "${missing}"`);
    }
    if (port === undefined && host !== undefined) refuse('host', 'has no effect without "port"');
    if (port === undefined && certificate !== undefined) {
      refuse('certificate', 'has no effect without "port"');
    }
    if (host !== undefined && !isLocalHost(host) && certificate === undefined) {
      refuse(
        'host',
        `is ${JSON.stringify(host)}, which other machines can reach without TLS: set "certificate" and "key", or remove it`,
      );
    }
  })
  .transform(({ socket, port, host = '127.0.0.1', certificate, key }) => ({
    /** Null: the default path. */
    socket,
    tcp: port === undefined ? null : { host, port },
    /** Files; relative paths start at the configuration. */
    tls: certificate === undefined || key === undefined ? null : { certificate, key },
  }));

/** Where to receive events from other machines. */
export type ListenConfig = z.output<typeof listenSchema>;

/** File in which `hookbell remote pair --to` stores the token, next to the configuration. */
export const RELAY_TOKEN_FILE = 'relay-token';

/** The section of the machine that relays. */
export const relaySchema = z
  .strictObject({
    to: z
      .string()
      .transform((text, context) => {
        const address = parseRelayAddress(text);
        if (typeof address !== 'string') return { to: text, address };
        context.issues.push({ code: 'custom', input: text, message: address });
        return z.NEVER;
      })
      .describe(
        'Address of the other "listen": https://HOST:PORT, or the path of a forwarded socket',
      ),
    token: secretReference
      .prefault({ file: RELAY_TOKEN_FILE })
      .describe('The token of this machine, which "hookbell remote pair --to" stores'),
    certificate: orNull(z.string().min(1)).describe(
      'PEM file with the certificate of the other side or its issuer, unless this machine already trusts it',
    ),
    ring_here: z
      .boolean()
      .default(false)
      .describe('Also notify on this machine about the events that it relays'),
  })
  .transform(({ to: target, token, certificate, ring_here: notifiesHere }) => ({
    ...target,
    token,
    certificate,
    notifiesHere,
  }));

/** Target of relaying, and its credentials. */
export type RelayConfig = z.output<typeof relaySchema>;

/** A store that several processes share. */
export const storeSchema = z.strictObject({
  postgres: z
    .strictObject({
      url: secretReference.describe(
        'URL of the database, as postgres://user:password@host/database; other hosts are reached with TLS',
      ),
    })
    .describe('PostgreSQL 15 or newer; `docs/postgresql.md`'),
});
