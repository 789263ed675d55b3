import { createHmac } from 'node:crypto';

/** Proves knowledge of the token without revealing it: HMAC-SHA-256 of the other side's nonce, hex. */
export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(`hookbell:${nonce}`).digest('hex');
}
