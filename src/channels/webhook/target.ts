import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';

import { z } from 'zod';

import type { ChannelDependencies } from '../../core/channel.ts';
import { ConfigError } from '../../platform/errors.ts';
import { Secret } from '../../text/secret.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { isPublicAddress } from './public-lookup.ts';

/** Headers that hookbell or the protocol sets; a second value would contradict it. */
const ownHeaders =
  /^(?:connection|content-length|content-type|expect|host|te|trailer|transfer-encoding|upgrade|user-agent|webhook-.*)$/i;

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not a header name')
  .refine((name) => !ownHeaders.test(name), 'is a header that hookbell sets itself');

export const webhookOptions = z.strictObject({
  url: secretReference.describe(
    'The target address: { env }, { file }, { command } or the address',
  ),
  method: z.enum(['POST', 'PUT']).default('POST').describe('The request method'),
  secret: secretReference
    .optional()
    .describe('Signs every request as in Standard Webhooks, preferably with a "whsec_" secret'),
  headers: z
    .record(headerName, secretReference)
    .default({})
    .describe('Additional headers, such as { Authorization: { env: HOOK_AUTHORIZATION } }'),
  allow_http: z.boolean().default(false).describe('Allow an address without TLS'),
  allow_private: z
    .boolean()
    .default(false)
    .describe('Allow addresses of this machine and of private networks'),
});

type WebhookOptions = z.output<typeof webhookOptions>;
/** The target of a webhook and its request data, with all secrets read. */
export type WebhookTarget = Awaited<ReturnType<typeof readWebhookTarget>>;

/** @throws ConfigError that says what is wrong without showing a secret */
export async function readWebhookTarget(
  options: WebhookOptions,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
) {
  const refuse = (fault: string, hint?: string): never => {
    const details = hint === undefined ? {} : { hint };
    throw new ConfigError(`Cannot use channel "${name}": ${fault}`, details);
  };

  const text = await resolveSecret(options.url);
  const url = URL.canParse(text) ? new URL(text) : refuse('the address in "url" is not a URL');
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    refuse('the address in "url" is not https');
  }
  if (url.protocol === 'http:' && !options.allow_http) {
    refuse('the address in "url" is not https', 'Use https, or set allow_http: true');
  }
  // A name is checked when it is resolved, by the lookup of the connection itself.
  if (isIP(hostname) !== 0 && !isPublicAddress(hostname) && !options.allow_private) {
    refuse('the address in "url" is not public', 'To allow it, set allow_private: true');
  }

  const secret = options.secret === undefined ? null : await resolveSecret(options.secret);
  if (secret !== null && signingKey(secret) === null) {
    refuse('the part after "whsec_" in "secret" is not base64');
  }

  const headers = new Map<string, Secret>();
  for (const [header, reference] of Object.entries(options.headers)) {
    const value = await resolveSecret(reference);
    // Anything else could end the header and begin another one.
    if (!/^[\t\u0020-\u007e]*$/.test(value)) {
      refuse(`the value of header "${header}" contains characters other than printable ASCII`);
    }
    headers.set(header, new Secret(value));
  }

  const signing = secret === null ? null : new Secret(secret);
  return { url: new Secret(url.href), hostname, headers, secret: signing };
}

/** Problems that a literal address shows before the channel is used. It may hold a secret, so it is not quoted. */
export function addressDoubts(options: WebhookOptions) {
  const { url, allow_http: allowHttp, allow_private: allowPrivate } = options;
  if (typeof url !== 'string' || !URL.canParse(url)) return [];
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isHere = host === 'localhost' || host.endsWith('.localhost');
  const isPrivate = isHere || (isIP(host) !== 0 && !isPublicAddress(host));
  const doubts: string[] = [];
  if (protocol === 'http:' && !allowHttp) {
    doubts.push('is an address without TLS: use https, or set "allow_http: true"');
  }
  if (isPrivate && !allowPrivate) {
    const place = 'an address of this machine or of a private network';
    doubts.push(`is ${place}: to allow it, set "allow_private: true"`);
  }
  return doubts.map((message) => ({ key: 'url', message }));
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md @param timestamp Unix seconds */
export function signatureOf(
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
  secret: string,
): string {
  const key = signingKey(secret);
  if (key === null) throw new RangeError('The signing secret contains no key');
  const content = `${id}.${timestamp}.${body}`;
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/** Base64 after "whsec_", else the text itself; null if the part after "whsec_" is not base64. */
function signingKey(secret: string): Uint8Array | null {
  if (!secret.startsWith('whsec_')) return Buffer.from(secret);
  const encoded = secret.slice('whsec_'.length);
  return /^[\w+/-]+={0,2}$/.test(encoded) ? Buffer.from(encoded, 'base64') : null;
}
