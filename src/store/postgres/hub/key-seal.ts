import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Seals the keys of machines with the secret of the hub, so that the database does not hold what machines sign with. What
 * is sealed for one machine cannot be opened for another.
 */
export interface KeySeal {
  /** Differs each time. */
  seal(machine: string, key: string): string;
  /** Null: it was not sealed by this secret for this machine. */
  open(machine: string, sealed: string): string | null;
}

/** Names the format and the cipher: AES-256-GCM with a nonce of 12 bytes before and a tag of 16 after the text. */
const FORMAT = 'sealed1:';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const INFO = 'hookbell hub 1: keys of machines';

export function createKeySeal(secret: string): KeySeal {
  // The secret is random and long, so it needs no slow hash.
  const key = Buffer.from(hkdfSync('sha256', secret, '', INFO, 32));
  return {
    seal(machine, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(machine));
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `${FORMAT}${Buffer.concat(parts).toString('base64url')}`;
    },
    open(machine, sealed) {
      const bytes = Buffer.from(sealed.slice(FORMAT.length), 'base64url');
      if (!sealed.startsWith(FORMAT) || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(machine));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString();
      } catch {
        return null;
      }
    },
  };
}

/** Keys as they are, for a hub without a secret. */
export const noSeal: KeySeal = { seal: (_machine, key) => key, open: (_machine, key) => key };
