import { type Answer, type Call, limitOf, ok, refuse, type Route, route } from '../call.ts';
import { anyText, isPositive } from '../checks.ts';
import { REPOSITORIES } from '../data/readiness.ts';

/** Small enough that nine reports take several pages: the document states no default. */
const PRESET_LIMIT = 4;

export const readinessRoutes: readonly Route[] = [
  route('readiness.list', 'GET /api/organization/maturity-level-reports', list, {
    query: { checks: { repoId: anyText, limit: isPositive, startAfter: anyText } },
  }),
];

function list(call: Call): Answer {
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
  const limit = limitOf(call, PRESET_LIMIT);
  const count = knobs.page === 'short' ? Math.ceil(limit / 2) : limit;
  const from = knobs.page === 'overlapping' ? Math.max(0, start - 1) : start;
  return ok({ reports: knobs.page === 'empty' ? [] : reports.slice(from, start + count) });
}
