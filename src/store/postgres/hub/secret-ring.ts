import { StoreError } from '../../../core/store-aging.ts';
import { parseJson } from '../../../platform/json.ts';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Stands for the name of a machine; none can have it. */
const CHECK = ' check';
const KNOWN = 'hookbell';

export type SecretRing = ReturnType<typeof createSecretRing>;

/**
 * The secrets of a process of the hub: those with which it can open the keys of machines.
 *
 * @param secret null: the hub has none
 * @param previous the one before; null: the secret is not being replaced
 * @param place names the database in errors
 */
export function createSecretRing(secret: string | null, previous: string | null, place: string) {
  const wanted = secret === null ? noSeal : createKeySeal(secret);
  const seals = [secret, previous].flatMap((one) => (one === null ? [] : [createKeySeal(one)]));
  const proofs = JSON.stringify(seals.map((seal) => seal.seal(CHECK, KNOWN)));
  // Keys in clear are read only until they are sealed: later they could only be those of an intruder.
  let wasSealed = false;
  let fault: StoreError | null = null;

  function lookFor(known: string | null): KeySeal | null {
    if (known === null) return secret === null || !wasSealed ? noSeal : null;
    const [first, ...others] = seals;
    if (first?.open(CHECK, known) === KNOWN) {
      wasSealed = true;
      return wanted;
    }
    return others.find((seal) => seal.open(CHECK, known) === KNOWN) ?? null;
  }

  const refusal = (known: string | null): StoreError =>
    new StoreError('io', `Cannot use the database ${place}: ${reasonOf(known)}`);

  function reasonOf(known: string | null): string {
    if (known === null) return 'the keys of machines are no longer sealed';
    if (secret === null)
      return 'the keys of machines are sealed: "hub.secret" of the configuration is missing';
    const others =
      previous === null ? 'another secret' : 'neither "hub.secret" nor "hub.previous_secret"';
    return `the keys of machines are sealed with ${others}; "hub.secret" must be the same for each process of the hub. To replace it, also give the former one as "hub.previous_secret"; if it is lost, run "hookbell hub reset-secret"`;
  }

  /** The seal of the keys, by the known text that the database has; null: this process does not have it. */
  function find(known: string | null): KeySeal | null {
    const found = lookFor(known);
    fault = found === null ? refusal(known) : null;
    return found;
  }

  return {
    /** Seals the keys once every process has it; `noSeal` without a secret. */
    wanted,
    /** Shows which secrets this process has, without revealing them: JSON, the known text sealed by each. */
    proofs,
    find,
    /** @throws StoreError if this process does not have it */
    sealOf(known: string | null): KeySeal {
      const found = find(known);
      if (found === null) throw refusal(known);
      return found;
    },
    /** Why the keys could not be opened the last time; null: they could. */
    fault: () => fault,
    newKnown: () => wanted.seal(CHECK, KNOWN),
    /** Whether a process with these proofs has the wanted seal. */
    isWantedIn(text: string | null): boolean {
      const shown = parseJson(text);
      return (
        Array.isArray(shown) &&
        shown.some((proof) => typeof proof === 'string' && wanted.open(CHECK, proof) === KNOWN)
      );
    },
  };
}

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
