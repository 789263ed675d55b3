import { createHash, timingSafeEqual } from 'node:crypto';

/** 256 bits. */
export const TOKEN_BYTES = 32;

/** A token of exactly that many bits, in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** @param random bytes nobody can guess */
export function tokenOf(random: Uint8Array): string {
  if (random.length < TOKEN_BYTES) throw new RangeError('Cannot make a token: too few bytes');
  return Buffer.from(random.subarray(0, TOKEN_BYTES)).toString('base64url');
}

/** What is kept of a token. It has as many bits as its hash, so no salt is needed. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The token in the path of a request, or null. */
export function tokenIn(url: string | undefined): string | null {
  const token = /^\/reply\/([^/?#]+)$/.exec(url ?? '')?.[1];
  return token !== undefined && TOKEN.test(token) ? token : null;
}

/** Compares in a time that tells nothing. */
export function isSameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
