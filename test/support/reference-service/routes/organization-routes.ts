import { isJsonObject } from '../../../../src/platform/json.ts';
import {
  type RouteAnswer,
  type Call,
  pageSizeOf,
  success,
  refuse,
  type ServedRoute,
  serve,
} from '../call.ts';
import {
  anyText,
  hasFields,
  isArrayOf,
  isEmail,
  isNumber,
  isPageSize,
  isPositive,
} from '../request-checks.ts';
import { REPOSITORIES } from '../data/readiness-data.ts';
import { cutPage } from '../paging.ts';

/** Small enough that nine reports take several pages: the document states no default. */
const PRESET_LIMIT = 4;

export const servedReadiness: readonly ServedRoute[] = [
  serve('readiness.list', 'GET /api/organization/maturity-level-reports', list, {
    query: { checks: { repoId: anyText, limit: isPositive, startAfter: anyText } },
  }),
];

function list(call: Call): RouteAnswer {
  const { query, knobs, world } = call;
  const repoId = query.get('repoId');
  const reports = world.reports.filter(
    ({ repoUrl }) => repoId === undefined || repoUrl === REPOSITORIES.get(repoId),
  );
  const startAfter = query.get('startAfter');
  const found = reports.findIndex(({ reportId }) => reportId === startAfter);
  if (startAfter !== undefined && found === -1) {
    return refuse(400, `Unknown startAfter "${startAfter}"`);
  }

  const start = knobs.cursor === 'repeated' ? 0 : found + 1;
  const limit = pageSizeOf(call, PRESET_LIMIT);
  const count = knobs.page === 'short' ? Math.ceil(limit / 2) : limit;
  const from = knobs.page === 'overlapping' ? Math.max(0, start - 1) : start;
  return success({ reports: knobs.page === 'empty' ? [] : reports.slice(from, start + count) });
}

const V0 = '/api/v0/organization';
const pages = { checks: { limit: isPageSize, cursor: anyText } };
const limitEntry = hasFields({ email: isEmail, limit: isNumber }, ['email', 'limit']);

export const servedOrganization: readonly ServedRoute[] = [
  serve('org.users', `GET ${V0}/users`, listUsers, { query: pages }),
  serve('org.history', `GET ${V0}/enterprise-controls/history`, history, { query: pages }),
  serve('org.setLimits', `PUT ${V0}/usage/limits/users`, (call) => success(updateLimits(call)), {
    body: hasFields({ users: isArrayOf(limitEntry, { min: 1, max: 100 }) }, ['users']),
  }),
];

function listUsers(call: Call): RouteAnswer {
  const page = cutPage(call, call.world.people);
  if (page.isRefusal) return page;
  return success({
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

function history(call: Call): RouteAnswer {
  const page = cutPage(call, call.world.controls);
  if (page.isRefusal) return page;
  return success({
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

/** Sets the limits of users who may have one, and reports for all others why not. */
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
