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
      .describe('Path of the unix socket; by default run/relay.sock in the state directory'),
    port: z.int().min(1).max(65_535).exactOptional().describe('Listens on this port as well'),
    host: z
      .string()
      .min(1)
      .exactOptional()
      .describe('The address of that port; any but loopback needs TLS'),
    certificate: path
      .exactOptional()
      .describe('A PEM file with the certificate (and its chain) for TLS'),
    key: path.exactOptional().describe('A PEM file with its private key, which only you may read'),
  })
  .superRefine(({ port, host, certificate, key }, context) => {
    const refuse = (at: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [at], message });
    if ((certificate === undefined) !== (key === undefined)) {
      const [given, missing] = key === undefined ? ['certificate', 'key'] : ['key', 'certificate'];
      refuse(given, `is of no use without "${missing}"`);
    }
    if (port === undefined && host !== undefined) refuse('host', 'is of no use without "port"');
    if (port === undefined && certificate !== undefined) {
      refuse('certificate', 'is of no use without "port"');
    }
    if (host !== undefined && !isLocalHost(host) && certificate === undefined) {
      refuse(
        'host',
        `is ${JSON.stringify(host)}, which other machines reach, and there is no TLS: give "certificate" and "key", or leave it out`,
      );
    }
  });

/** Where `hookbell remote pair --to` keeps the token, beside the configuration. */
export const RELAY_TOKEN_FILE = 'relay-token';

/** The section of the machine that relays. */
export const relaySchema = z.strictObject({
  to: z
    .string()
    .superRefine((text, context) => {
      const address = parseRelayAddress(text);
      if (typeof address === 'string') context.addIssue({ code: 'custom', message: address });
    })
    .describe('Where "listen" takes them in: https://HOST:PORT, or the path of a forwarded socket'),
  token: secretReference
    .prefault({ file: RELAY_TOKEN_FILE })
    .describe('The token of this machine, which "hookbell remote pair --to" keeps'),
  certificate: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'A PEM file with the certificate of the other side, or of who signed it, if this machine does not know it',
    ),
  ring_here: z
    .boolean()
    .default(false)
    .describe('Whether this machine tells people of what it relays as well'),
});
