import { type Answer, type Call, ok, type Route, route } from '../call.ts';
import { anyText, hasFields, isArrayOf, isEmail, isNumber, isPageSize } from '../checks.ts';
import { isJsonObject } from '../../../platform/json.ts';
import { pageOf } from '../paging.ts';

const V0 = '/api/v0/organization';
const pages = { checks: { limit: isPageSize, cursor: anyText } };
const limitEntry = hasFields({ email: isEmail, limit: isNumber }, ['email', 'limit']);

export const organizationRoutes: readonly Route[] = [
  route('org.users', `GET ${V0}/users`, listUsers, { query: pages }),
  route('org.history', `GET ${V0}/enterprise-controls/history`, history, { query: pages }),
  route('org.setLimits', `PUT ${V0}/usage/limits/users`, (call) => ok(updateLimits(call)), {
    body: hasFields({ users: isArrayOf(limitEntry, { min: 1, max: 100 }) }, ['users']),
  }),
];

function listUsers(call: Call): Answer {
  const page = pageOf(call, call.world.people);
  if (page.isRefusal) return page;
  return ok({
    users: page.rows.map(({ id, email, createdAt, firstName, lastName, lastSignInAt, role }) => ({
      id,
      email,
      createdAt,
      metadata: { role },
      firstName,
      ...(lastName === undefined ? {} : { lastName }),
      lastSignInAt,
    })),
    pagination: { hasMore: page.hasMore, nextCursor: page.next },
  });
}

function history(call: Call): Answer {
  const page = pageOf(call, call.world.controls);
  if (page.isRefusal) return page;
  return ok({
    changes: page.rows,
    pagination: { hasMore: page.hasMore, nextCursor: page.next },
  });
}

interface LimitsResult {
  readonly updated: { email: string; limit: number }[];
  readonly errors: { email: string; error: string }[];
}

/** What the fault "clamp" lowers a limit to. */
const CLAMPED = 1_000_000;

/** Sets the limits of those who may have one and says of everybody else why not. */
function updateLimits(call: Call): LimitsResult {
  const { people, limits } = call.world;
  const result: LimitsResult = { updated: [], errors: [] };
  for (const [index, { email, limit }] of entriesOf(call).entries()) {
    const person = people.find((each) => each.email === email.trim().toLowerCase());
    const fault = index % 2 === 1 ? call.knobs.limits : undefined;
    if (fault === 'silence') continue;
    if (person === undefined) {
      result.errors.push({ email, error: 'User not found in organization' });
    } else if (person.role === 'guest') {
      result.errors.push({ email, error: 'Guests have no credit limit' });
    } else if (fault === 'errors') {
      result.errors.push({ email, error: 'Could not be updated, try again' });
    } else {
      const granted = fault === 'clamp' ? Math.min(limit, CLAMPED) : limit;
      limits.set(person.email, granted);
      result.updated.push({ email, limit: granted });
    }
  }
  return result;
}

/** The entries, whose form the checks have found to be right. */
function entriesOf({ body }: Call): { email: string; limit: number }[] {
  const { users } = body;
  if (!Array.isArray(users)) return [];
  return users.flatMap((entry: unknown) => {
    if (!isJsonObject(entry)) return [];
    const { email, limit } = entry;
    return typeof email === 'string' && typeof limit === 'number' ? [{ email, limit }] : [];
  });
}
