import { z } from 'zod';

import type { Paged } from './pagination.ts';
import { defineRoutes } from './define-routes.ts';
import { anyObject, limitParameter, Pagination, text } from './schema-parts.ts';

export const OrganizationUser = z.looseObject({
  id: text,
  email: text,
  createdAt: text,
  metadata: anyObject.nullish(),
  firstName: text,
  lastName: text,
  lastSignInAt: text,
});
export type OrganizationUser = z.infer<typeof OrganizationUser>;

export const pageParameters = z.strictObject({
  limit: limitParameter.optional().describe('Page size, 1 to 100'),
  cursor: z.string().optional().describe('Where to continue: nextCursor of the last page'),
});

export const organizationRoutes = defineRoutes(
  { family: 'v0' },
  {
    'org.users': {
      summary: 'Users of the organization',
      path: '/api/v0/organization/users',
      parameters: pageParameters,
      response: z.looseObject({ users: z.array(OrganizationUser), pagination: Pagination }),
      lists: ['users'],
      pages: 'cursor',
      view: {
        columns: [
          { name: 'user', from: 'id' },
          { name: 'e-mail', from: 'email' },
          { name: 'first name', from: 'firstName' },
          { name: 'last name', from: 'lastName' },
          { name: 'created', from: 'createdAt', kind: 'time' },
          { name: 'last sign-in', from: 'lastSignInAt', kind: 'time' },
        ],
        empty: 'No users found',
      },
      command: { words: 'users list', description: 'list the users of the organization' },
    },
  },
);

/** The users of the organization, to find people by id or e-mail. */
export interface Directory {
  readonly byId: (id: string) => Promise<OrganizationUser | null>;
  /** Case does not matter. */
  readonly byEmail: (email: string) => Promise<OrganizationUser | null>;
  /** Whether a user has an address of the same domain. */
  readonly hasDomainOf: (email: string) => Promise<boolean>;
}

const FRESH_MS = 3_600_000;
/** Far above any organization; bounds the paging. */
const MAX_USERS = 100_000;

/** A directory read over all pages and cached for an hour. Failures are not cached. */
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

type Index = ReturnType<typeof indexOf>;

function indexOf(users: readonly OrganizationUser[]) {
  return {
    byId: new Map(users.map((user) => [user.id ?? '', user])),
    byEmail: new Map(users.map((user) => [keyOf(user.email ?? ''), user])),
    domains: new Set(users.map((user) => domainOf(user.email ?? '')).filter((one) => one !== '')),
  };
}

function keyOf(email: string): string {
  return email.trim().toLowerCase();
}

/** Empty for an invalid address. */
function domainOf(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '' : keyOf(email.slice(at + 1));
}
