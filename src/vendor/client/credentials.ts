import type { RouteFamily } from './define-routes.ts';

/** A credential, or a function that returns it and is called once more after a 401. */
export type CredentialSource = string | (() => string | null | Promise<string | null>);

export type CredentialKind = 'key' | 'jwt';

export interface Credential {
  readonly kind: CredentialKind;
  readonly value: string;
}

export type Credentials = ReturnType<typeof createCredentials>;

interface Reading {
  readonly promise: Promise<string | null>;
  value: string | null | undefined;
}

/** Assumes nothing about lifetime, scope or refresh of the credentials. */
export function createCredentials(
  sources: Readonly<Record<CredentialKind, CredentialSource | undefined>>,
) {
  const current = new Map<CredentialKind, Reading>();
  const secrets = new Set<string>();

  async function read(kind: CredentialKind): Promise<string | null> {
    const source = sources[kind];
    const value = (typeof source === 'function' ? await source() : source)?.trim() ?? '';
    if (value === '') return null;
    secrets.add(value);
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
    has: (kind: CredentialKind) => sources[kind] !== undefined,
    /** @returns null if not configured; @throws TypeError when it does not fit a header */
    get: async (kind: CredentialKind): Promise<Credential | null> => {
      const value = await (current.get(kind) ?? load(kind)).promise;
      return value === null ? null : { kind, value };
    },
    /** Rereads it after the service refused it; true if it changed. */
    renew: async ({ kind, value }: Credential): Promise<boolean> => {
      if (typeof sources[kind] !== 'function') return false;
      const held = current.get(kind);
      // Calls refused together share one read.
      const isStale = held === undefined || held.value === value;
      const renewed = await (isStale ? load(kind) : held).promise;
      return renewed !== null && renewed !== value;
    },
    /** Replaces every credential seen so far by `***`. */
    scrub: (text: string): string =>
      [...secrets].reduce((clean, value) => clean.replaceAll(value, '***'), text),
  };
}

export function nameOf(kind: CredentialKind): string {
  return kind === 'key' ? 'API key' : 'JWT';
}

/** Hint for a missing or refused credential or an insufficient role. */
export function hintFor(
  trouble: 'no-key' | 'refused' | 'forbidden',
  family: RouteFamily,
  appUrl: string | undefined,
  kind: CredentialKind = 'key',
): string {
  if (kind === 'jwt' && trouble !== 'forbidden') {
    const what = trouble === 'refused' ? 'is invalid, expired or revoked' : 'cannot be read';
    return `The access token in api.jwt ${what}. Replace it at the source that api.jwt names, or remove api.jwt to use the API key.`;
  }
  if (kind === 'jwt') {
    return 'The user of the access token in api.jwt lacks the permission, or the feature is off for your organization.';
  }
  const page = `${appUrl ?? '{app_url}'}/settings/api-keys`;
  if (trouble === 'forbidden') {
    return family === 'analytics'
      ? 'Analytics needs the role Manager or Owner: request it, or use the key of a user who has it.'
      : 'The role of this key does not allow it, or the feature is off for your organization.';
  }
  const create = `Create a key at "${page}" and configure it.`;
  return trouble === 'refused'
    ? `The key is invalid, expired or revoked. ${create}`
    : `${create} If you cannot create one, the enterprise setting restrictApiKeyCreationToManagers may prevent it.`;
}
