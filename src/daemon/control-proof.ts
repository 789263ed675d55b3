import { createHmac, timingSafeEqual } from 'node:crypto';

/** Proof that somebody knows the token, without telling it: HMAC-SHA-256 of the other side's nonce, hex. */
export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(`hookbell:${nonce}`).digest('hex');
}

/** Compares two secrets without telling by the time it takes how much of them is equal. */
export function sameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** Makes both sides equally long, which `timingSafeEqual` demands. */
function digest(text: string): Buffer {
  return createHmac('sha256', 'compare').update(text).digest();
}
