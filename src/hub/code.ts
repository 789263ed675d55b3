import { sha256 } from '../platform/crypto.ts';

/** Without letters that look like digits or other letters. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 80 bits: guessing them within minutes would need more attempts than any network can carry. */
const CODE_BYTES = 10;
const CODE_LETTERS = 16;

/** A one-time code, such as "7QKD-20GZ-MW4T-XA9P". */
export function makeCode(random: (size: number) => Uint8Array): string {
  let bits = 0n;
  for (const byte of random(CODE_BYTES)) bits = (bits << 8n) | BigInt(byte);
  let letters = '';
  for (let index = 0; index < CODE_LETTERS; index += 1) {
    letters = `${ALPHABET[Number(bits & 31n)] ?? ''}${letters}`;
    bits >>= 5n;
  }
  return letters.replace(/.{4}(?=.)/g, '$&-');
}

/** The stored form of a code as people type it: in either case, with or without hyphens, O as 0 and I or L as 1. */
export function codeHash(typed: string): string {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  return sha256(`hookbell invitation 1\n${letters}`);
}
