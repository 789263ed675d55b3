import { type Ledger, withoutDay } from '../analytics/ledger.ts';
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
import { type Answer, type Call, ok, type Respond } from '../call.ts';
import { addDays, dayOf, daysBetween, FIRST_DAY } from '../days.ts';
import { pageOf } from '../paging.ts';

export const tokens = daily((day, ledger, isGrouped) =>
  isGrouped ? tokenGroups(day, ledger.on(day)) : [tokenRow(day, ledger.on(day))],
);

export const tools = daily((day, ledger, isGrouped) =>
  isGrouped ? toolGroups(day, ledger.on(day)) : [toolRow(day, ledger.on(day))],
);

export const activity = daily((day, ledger, isGrouped) =>
  isGrouped ? activityGroups(day, ledger) : [activityRow(day, ledger)],
);

export const productivity = daily((day, ledger) => [productivityRow(day, ledger.on(day))]);

/** Pages count users, each with a row for every day of the range on which there was something. */
export function users(call: Call): Answer {
  const { ledger, days } = dataOf(call);
  const page = pageOf(call, call.world.people, ({ id }) => id);
  if (page.isRefusal) return page;
  const data = page.rows.flatMap(({ id }) =>
    days.flatMap((day) => {
      const entry = ledger.on(day).find(({ person }) => person.id === id);
      return entry === undefined ? [] : [userRow(day, entry)];
    }),
  );
  const meta = { ...metaOf(call), has_more: page.hasMore, next_cursor: page.next };
  return ok({ data, meta });
}

type RowsOf = (day: string, ledger: Ledger, isGrouped: boolean) => readonly unknown[];

function daily(rowsOf: RowsOf): Respond {
  return (call) => {
    const { ledger, days } = dataOf(call);
    const isGrouped = call.query.has('group_by');
    const data = days.flatMap((day) => rowsOf(day, ledger, isGrouped));
    return ok({ data, meta: metaOf(call) });
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
  const yesterday = addDays(dayOf(now), -1);
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
