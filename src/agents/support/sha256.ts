import { createHash } from 'node:crypto';

/** Stands for a content of any length, in 64 hexadecimal digits. */
export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
