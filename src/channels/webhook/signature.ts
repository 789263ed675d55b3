import { createHmac } from 'node:crypto';

/**
 * The signature of a message after the Standard Webhooks specification, for the header `webhook-signature`
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 *
 * @param timestamp Unix seconds, as in the header `webhook-timestamp`
 * @throws RangeError when `signingKey` finds no key in the secret
 */
export function signatureOf(
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
  secret: string,
): string {
  const key = signingKey(secret);
  if (key === null) throw new RangeError('The signing secret holds no key');
  const content = `${id}.${timestamp}.${body}`;
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/**
 * The bytes of a signing secret: base64 after "whsec_", as the specification writes them, else the text itself.
 *
 * @returns null if what follows "whsec_" is no base64
 */
export function signingKey(secret: string): Uint8Array | null {
  if (!secret.startsWith('whsec_')) return Buffer.from(secret);
  const encoded = secret.slice('whsec_'.length);
  return /^[\w+/-]+={0,2}$/.test(encoded) ? Buffer.from(encoded, 'base64') : null;
}
