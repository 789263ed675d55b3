import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time. */
export function sameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** Makes both sides equally long, as `timingSafeEqual` requires. */
function digest(text: string): Buffer {
  return createHmac('sha256', 'compare').update(text).digest();
}

/** Identifies content of any length, in 64 hexadecimal digits. */
export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** An id in the form of a UUID: the same for the same text. Its beginning differs where only the end of the text does. */
export function hashedId(text: string): string {
  const hex = sha256(text);
  const ends = [8, 12, 16, 20, 32];
  return ends.map((end, index) => hex.slice(ends[index - 1] ?? 0, end)).join('-');
}

/** A UUIDv7 (RFC 9562), which sorts by time as a string. @param random 10 random bytes */
export function timeOrderedId(now: number, random: Uint8Array): string {
  const time = now.toString(16).padStart(12, '0').slice(-12);
  const hex = [...random.subarray(0, 10)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  const variant = (8 + (Number.parseInt(hex.slice(3, 4), 16) % 4)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
}
