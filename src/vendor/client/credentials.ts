/** A credential, or a function that returns it and is called once more after a 401. */
export type CredentialSource = string | (() => string | null | Promise<string | null>);

export type CredentialKind = 'key' | 'jwt';

export interface Credential {
  readonly kind: CredentialKind;
  readonly value: string;
}

export interface Credentials {
  /** Whether a credential of this kind is configured. */
  readonly has: (kind: CredentialKind) => boolean;
  /** @returns null if not configured; @throws TypeError when it does not fit a header */
  readonly get: (kind: CredentialKind) => Promise<Credential | null>;
  /** Rereads it after the service refused it; true if it changed. */
  readonly renew: (refused: Credential) => Promise<boolean>;
  /** Replaces every credential seen so far by `***`. */
  readonly scrub: (text: string) => string;
}

interface Reading {
  readonly promise: Promise<string | null>;
  /** Undefined until it is read. */
  value: string | null | undefined;
}

/** Assumes nothing about lifetime, scope or refresh of the credentials. */
export function createCredentials(
  sources: Readonly<Record<CredentialKind, CredentialSource | undefined>>,
): Credentials {
  const current = new Map<CredentialKind, Reading>();
  const known = new Set<string>();

  async function read(kind: CredentialKind): Promise<string | null> {
    const source = sources[kind];
    const value = (typeof source === 'function' ? await source() : source)?.trim() ?? '';
    if (value === '') return null;
    known.add(value);
    // fetch would refuse it too, with the value in the message.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw new TypeError(
        `the ${nameOf(kind)} has a blank or a character that is not allowed in a header`,
      );
    }
    return value;
  }

  function load(kind: CredentialKind): Reading {
    const reading: Reading = { promise: read(kind), value: undefined };
    current.set(kind, reading);
    reading.promise.then(
      (value) => (reading.value = value),
      () => {
        // Failures are not cached: the file may exist the next time.
        if (current.get(kind) === reading) current.delete(kind);
      },
    );
    return reading;
  }

  return {
    has: (kind) => sources[kind] !== undefined,
    get: async (kind) => {
      const value = await (current.get(kind) ?? load(kind)).promise;
      return value === null ? null : { kind, value };
    },
    renew: async ({ kind, value }) => {
      if (typeof sources[kind] !== 'function') return false;
      const held = current.get(kind);
      // Calls refused together share one read.
      const isStale = held === undefined || held.value === value;
      const renewed = await (isStale ? load(kind) : held).promise;
      return renewed !== null && renewed !== value;
    },
    scrub: (text) => [...known].reduce((clean, value) => clean.replaceAll(value, '***'), text),
  };
}

/** Name of a kind of credential in messages. */
export function nameOf(kind: CredentialKind): string {
  return kind === 'key' ? 'API key' : 'JWT';
}
