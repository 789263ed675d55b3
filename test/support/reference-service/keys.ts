import type { Role } from './data/users.ts';
import { randomFor } from './random.ts';

/** Credentials as they stand after "Bearer ". */
export interface MockKeys {
  readonly owner: string;
  readonly manager: string;
  readonly member: string;
  readonly guest: string;
  /** Refused from the start. */
  readonly revoked: string;
  /** An access token, for v0 only. */
  readonly jwt: string;
  /** An owner's key that is refused after a number of requests. */
  readonly expiring: string;
}

export type KeyName = keyof MockKeys;

export interface KeyHolder {
  readonly name: KeyName;
  readonly role: Role;
}

export interface KeyRing {
  /** Whose credential an Authorization header carries, whether or not it is still valid. */
  find(header: string | undefined): KeyHolder | undefined;
  /** Counts one use; returns whether the key is valid. */
  use(name: KeyName): boolean;
  revoke(name: KeyName): void;
}

const ROLES: Record<KeyName, Role> = {
  owner: 'owner',
  manager: 'manager',
  member: 'member',
  guest: 'guest',
  revoked: 'owner',
  jwt: 'member',
  expiring: 'owner',
};

const keyNames = Object.keys(ROLES).filter((name): name is KeyName => name in ROLES);

export function createKeys(seed: number): MockKeys {
  const key = (name: KeyName): string => `fk-${name}-${randomFor(seed, 'key', name).hex(24)}`;
  const signature = randomFor(seed, 'key', 'jwt').hex(32);
  return {
    owner: key('owner'),
    manager: key('manager'),
    member: key('member'),
    guest: key('guest'),
    revoked: key('revoked'),
    jwt: `${part('{"alg":"HS256","typ":"JWT"}')}.${part('{"sub":"member"}')}.${part(signature)}`,
    expiring: key('expiring'),
  };
}

function part(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** @param expiringUses how many requests the expiring key is good for */
export function createKeyRing(keys: MockKeys, expiringUses: number): KeyRing {
  const revoked = new Set<KeyName>(['revoked']);
  let left = expiringUses;
  return {
    find(header) {
      const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
      const name = keyNames.find((each) => keys[each] === token);
      return name === undefined ? undefined : { name, role: ROLES[name] };
    },
    use(name) {
      if (revoked.has(name)) return false;
      if (name !== 'expiring') return true;
      left -= 1;
      return left >= 0;
    },
    revoke: (name) => void revoked.add(name),
  };
}

export type CursorFault = 'repeated' | 'cyclic' | 'missing' | 'null' | 'empty';
export type PageFault = 'empty' | 'short' | 'overlapping';
export type LimitsFault = 'errors' | 'silence' | 'clamp';

/** What faults change in how a request is understood and answered, before there is an answer to spoil. */
export interface Knobs {
  readonly cursor?: CursorFault;
  readonly page?: PageFault;
  /** Every second entry of a limits update is refused, not answered or lowered to 1,000,000. */
  readonly limits?: LimitsFault;
  /** Yesterday is missing, or there with nothing in it. */
  readonly batch?: 'late' | 'zero';
  /** Longest range analytics takes, in days. */
  readonly maxSpan?: number;
  /** How far the service's clock is ahead, ms. */
  readonly skew?: number;
  readonly role?: Role;
  /** The key of the request is revoked, for good. */
  readonly revokesKey?: true;
  /** Every v0 route answers this. */
  readonly v0Off?: 403 | 404;
  /** Items of the session list carry their status. */
  readonly listsStatus?: true;
}
