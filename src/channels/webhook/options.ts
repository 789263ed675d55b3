import { z } from 'zod';
import { secretReference } from '../../core/secret-reference.ts';

/** Headers that hookbell or the protocol sets; a second value would contradict it. */
const ownHeaders =
  /^(?:connection|content-length|content-type|expect|host|te|trailer|transfer-encoding|upgrade|user-agent|webhook-.*)$/i;

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not a header name')
  .refine((name) => !ownHeaders.test(name), 'is a header that hookbell sets itself');

/** The options of the webhook channel as users write them. */
export const webhookOptions = z.strictObject({
  url: secretReference.describe('Where to send: { env }, { file }, { command } or the address'),
  method: z.enum(['POST', 'PUT']).default('POST').describe('The method of the request'),
  secret: secretReference
    .optional()
    .describe('Signs every request as Standard Webhooks describe, best with a "whsec_" secret'),
  headers: z
    .record(headerName, secretReference)
    .default({})
    .describe('More headers, such as { Authorization: { env: HOOK_AUTHORIZATION } }'),
  allow_http: z.boolean().default(false).describe('Allow an address without TLS'),
  allow_private: z
    .boolean()
    .default(false)
    .describe('Allow addresses of this machine and of private networks'),
});

export type WebhookOptions = z.output<typeof webhookOptions>;
