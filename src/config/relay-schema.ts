import { z } from 'zod';

import { parseRelayAddress } from '../core/relay.ts';
import { secretReference } from '../core/secret-reference.ts';
import { isLocalHost } from '../platform/loopback-address.ts';

const path = z.string().min(1);

/** The section of the machine that other machines relay to. */
export const listenSchema = z
  .strictObject({
    socket: path
      .exactOptional()
      .describe('Path of the unix socket; defaults to run/relay.sock in the state directory'),
    port: z.int().min(1).max(65_535).exactOptional().describe('Also listen on this port'),
    host: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Address of that port; any except loopback requires TLS'),
    certificate: path
      .exactOptional()
      .describe('PEM file with the certificate (and its chain) for TLS'),
    key: path.exactOptional().describe('PEM file with its private key, which only you may read'),
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
  });

/** File in which `hookbell remote pair --to` stores the token, next to the configuration. */
export const RELAY_TOKEN_FILE = 'relay-token';

/** The section of the machine that relays. */
export const relaySchema = z.strictObject({
  to: z
    .string()
    .superRefine((text, context) => {
      const address = parseRelayAddress(text);
      if (typeof address === 'string') context.addIssue({ code: 'custom', message: address });
    })
    .describe(
      'Address of the other "listen": https://HOST:PORT, or the path of a forwarded socket',
    ),
  token: secretReference
    .prefault({ file: RELAY_TOKEN_FILE })
    .describe('The token of this machine, which "hookbell remote pair --to" stores'),
  certificate: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'PEM file with the certificate of the other side or of its issuer, if this machine does not trust it already',
    ),
  ring_here: z
    .boolean()
    .default(false)
    .describe('Also notify on this machine about the events that it relays'),
});
