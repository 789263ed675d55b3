import type { Paged } from '../pagination.ts';
import type { OrganizationUser } from './user.ts';

/** The users of the organization, to find people by id or e-mail. */
export interface Directory {
  readonly byId: (id: string) => Promise<OrganizationUser | null>;
  /** Case does not matter. */
  readonly byEmail: (email: string) => Promise<OrganizationUser | null>;
  /** Whether a user has an address of the same domain. */
  readonly hasDomainOf: (email: string) => Promise<boolean>;
}

const FRESH_MS = 3_600_000;
/** Far above any organization; a walk needs an end. */
const MAX_USERS = 100_000;

/** A directory read over all pages and kept for an hour. A walk that fails is not kept. */
export function createDirectory(
  users: () => Paged<OrganizationUser>,
  now: () => number,
): Directory {
  let held: { at: number; found: Promise<Index> } | null = null;

  function index(): Promise<Index> {
    if (held !== null && now() - held.at < FRESH_MS) return held.found;
    const found = users().all({ max: MAX_USERS }).then(indexOf);
    const entry = { at: now(), found };
    held = entry;
    found.catch(() => {
      if (held === entry) held = null;
    });
    return found;
  }

  return {
    byId: async (id) => (await index()).byId.get(id) ?? null,
    byEmail: async (email) => (await index()).byEmail.get(keyOf(email)) ?? null,
    hasDomainOf: async (email) => (await index()).domains.has(domainOf(email)),
  };
}

interface Index {
  readonly byId: ReadonlyMap<string, OrganizationUser>;
  readonly byEmail: ReadonlyMap<string, OrganizationUser>;
  readonly domains: ReadonlySet<string>;
}

function indexOf(users: readonly OrganizationUser[]): Index {
  return {
    byId: new Map(users.map((user) => [user.id ?? '', user])),
    byEmail: new Map(users.map((user) => [keyOf(user.email ?? ''), user])),
    domains: new Set(users.map((user) => domainOf(user.email ?? '')).filter((one) => one !== '')),
  };
}

function keyOf(email: string): string {
  return email.trim().toLowerCase();
}

/** Empty for what is no address. */
function domainOf(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '' : keyOf(email.slice(at + 1));
}
