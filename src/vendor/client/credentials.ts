/** A credential, or how to get it; a function is asked once more after a 401. */
export type CredentialSource = string | (() => string | null | Promise<string | null>);

export type CredentialKind = 'key' | 'jwt';

export interface Credential {
  readonly kind: CredentialKind;
  readonly value: string;
}

export interface Credentials {
  /** Whether a credential of this kind is configured. */
  readonly has: (kind: CredentialKind) => boolean;
  /** @returns null when there is none; @throws TypeError when it does not fit a header */
  readonly get: (kind: CredentialKind) => Promise<Credential | null>;
  /** Reads it again after the service refused it; true when another one came out. */
  readonly renew: (refused: Credential) => Promise<boolean>;
  /** Replaces every credential known so far by `***`. */
  readonly scrub: (text: string) => string;
}

interface Reading {
  readonly promise: Promise<string | null>;
  /** Undefined until it is read. */
  value: string | null | undefined;
}

/** Nothing is assumed about lifetime, scope or refresh of what the sources give. */
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
        // What could not be read is not remembered: the file may be there the next time.
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
      // Calls that are refused together share one reading.
      const isStale = held === undefined || held.value === value;
      const renewed = await (isStale ? load(kind) : held).promise;
      return renewed !== null && renewed !== value;
    },
    scrub: (text) => [...known].reduce((clean, value) => clean.replaceAll(value, '***'), text),
  };
}

/** How messages call a kind of credential. */
export function nameOf(kind: CredentialKind): string {
  return kind === 'key' ? 'API key' : 'JWT';
}
