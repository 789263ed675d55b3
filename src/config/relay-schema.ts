import { z } from 'zod';
import { parseRelayAddress } from '../core/relay-address.ts';
import { secretReference } from '../core/secret-reference.ts';

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
