import { StoreError } from '../../../core/store-aging.ts';
import { parseJson } from '../../../platform/json.ts';
import { createKeySeal, type KeySeal, noSeal } from './key-seal.ts';

/** Stands for the name of a machine; none can have it. */
const CHECK = ' check';
const KNOWN = 'hookbell';

/** The secrets of a process of the hub: those with which it can open the keys of machines. */
export interface SecretRing {
  /** Seals the keys once every process has it; `noSeal` without a secret. */
  readonly wanted: KeySeal;
  /** Shows which secrets this process has, without revealing them: JSON, the known text sealed by each. */
  readonly proofs: string;
  /** The seal of the keys, by the known text that the database has; null: this process does not have it. */
  find(known: string | null): KeySeal | null;
  /** @throws StoreError if this process does not have it */
  sealOf(known: string | null): KeySeal;
  /** Why the keys could not be opened the last time; null: they could. */
  fault(): StoreError | null;
  /** The known text, sealed with the wanted seal. */
  newKnown(): string;
  /** Whether a process with these proofs has the wanted seal. */
  isWantedIn(proofs: string | null): boolean;
}

export interface KeyRingOptions {
  /** Null: the hub has none. */
  readonly secret: string | null;
  /** The one before; null: the secret is not being replaced. */
  readonly previous: string | null;
  /** Names the database in errors. */
  readonly place: string;
}

export function createSecretRing({ secret, previous, place }: KeyRingOptions): SecretRing {
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

  function refusal(known: string | null): StoreError {
    return new StoreError('io', `Cannot use the database ${place}: ${reasonOf(known)}`);
  }

  function reasonOf(known: string | null): string {
    if (known === null) return 'the keys of machines are no longer sealed';
    if (secret === null)
      return 'the keys of machines are sealed: "hub.secret" of the configuration is missing';
    const others =
      previous === null ? 'another secret' : 'neither "hub.secret" nor "hub.previous_secret"';
    return `the keys of machines are sealed with ${others}; "hub.secret" must be the same for each process of the hub. To replace it, also give the former one as "hub.previous_secret"; if it is lost, run "hookbell hub reset-secret"`;
  }

  function find(known: string | null): KeySeal | null {
    const found = lookFor(known);
    fault = found === null ? refusal(known) : null;
    return found;
  }

  return {
    wanted,
    proofs,
    find,
    sealOf(known) {
      const found = find(known);
      if (found === null) throw refusal(known);
      return found;
    },
    fault: () => fault,
    newKnown: () => wanted.seal(CHECK, KNOWN),
    isWantedIn(text) {
      const shown = parseJson(text);
      return (
        Array.isArray(shown) &&
        shown.some((proof) => typeof proof === 'string' && wanted.open(CHECK, proof) === KNOWN)
      );
    },
  };
}
