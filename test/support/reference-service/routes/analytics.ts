import { type Ledger, withoutDay } from '../data/telemetry.ts';
import {
  activityGroups,
  activityRow,
  productivityRow,
  tokenGroups,
  tokenRow,
  toolGroups,
  toolRow,
  userRow,
} from '../analytics/tools.ts';
import {
  type RouteAnswer,
  type Call,
  success,
  type Respond,
  type ServedRoute,
  serve,
} from '../call.ts';
import { anyText, isDate, isOnly, isPageSize, type QueryRules } from '../request-checks.ts';
import { shiftDay, utcDayOf, daysBetween, FIRST_DAY } from '../days.ts';
import { cutPage } from '../paging.ts';

const V1 = '/api/v1/analytics';

export const servedAnalytics: readonly ServedRoute[] = [
  serve(
    'analytics.tokens',
    `GET ${V1}/tokens`,
    daily((day, ledger, isGrouped) =>
      isGrouped ? tokenGroups(day, ledger.on(day)) : [tokenRow(day, ledger.on(day))],
    ),
    range({ group_by: isOnly('model') }),
  ),
  serve(
    'analytics.tools',
    `GET ${V1}/tools`,
    daily((day, ledger, isGrouped) =>
      isGrouped ? toolGroups(day, ledger.on(day)) : [toolRow(day, ledger.on(day))],
    ),
    range({ group_by: isOnly('tool_name') }),
  ),
  serve(
    'analytics.activity',
    `GET ${V1}/activity`,
    daily((day, ledger, isGrouped) =>
      isGrouped ? activityGroups(day, ledger) : [activityRow(day, ledger)],
    ),
    range({ group_by: isOnly('client') }),
  ),
  serve(
    'analytics.productivity',
    `GET ${V1}/productivity`,
    daily((day, ledger) => [productivityRow(day, ledger.on(day))]),
    range(),
  ),
  serve(
    'analytics.users',
    `GET ${V1}/users`,
    userDays,
    range({ limit: isPageSize, cursor: anyText }),
  ),
];

function range(extra: QueryRules['checks'] = {}): { readonly query: QueryRules } {
  const checks = { startDate: isDate, endDate: isDate, ...extra };
  return { query: { required: ['startDate', 'endDate'], checks } };
}

/** Pages count users, each with a row for every day of the range on which there was something. */
function userDays(call: Call): RouteAnswer {
  const { ledger, days } = dataOf(call);
  const page = cutPage(call, call.world.people, ({ id }) => id);
  if (page.isRefusal) return page;
  const data = page.rows.flatMap(({ id }) =>
    days.flatMap((day) => {
      const entry = ledger.on(day).find(({ person }) => person.id === id);
      return entry === undefined ? [] : [userRow(day, entry)];
    }),
  );
  const meta = { ...metaOf(call), has_more: page.hasMore, next_cursor: page.next };
  return success({ data, meta });
}

type RowsOf = (day: string, ledger: Ledger, isGrouped: boolean) => readonly unknown[];

function daily(rowsOf: RowsOf): Respond {
  return (call) => {
    const { ledger, days } = dataOf(call);
    const isGrouped = call.query.has('group_by');
    const data = days.flatMap((day) => rowsOf(day, ledger, isGrouped));
    return success({ data, meta: metaOf(call) });
  };
}

function metaOf(call: Call) {
  return {
    org_id: call.world.organizationId,
    start_date: call.query.get('startDate'),
    end_date: call.query.get('endDate'),
  };
}

/** The days of the range that have data, and the data as the last batch left it. */
function dataOf(call: Call): { readonly ledger: Ledger; readonly days: readonly string[] } {
  const { query, knobs, now, world } = call;
  const yesterday = shiftDay(utcDayOf(now), -1);
  const start = query.get('startDate') ?? '';
  const days = daysBetween(start < FIRST_DAY ? FIRST_DAY : start, query.get('endDate') ?? '');
  if (knobs.batch === 'late') {
    return { ledger: world.ledger, days: days.filter((day) => day < yesterday) };
  }
  return {
    ledger: knobs.batch === 'zero' ? withoutDay(world.ledger, yesterday) : world.ledger,
    days,
  };
}
