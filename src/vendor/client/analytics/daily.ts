import type { z } from 'zod';

import type { MethodSettings } from '../add-message.ts';
import type { Caller } from '../request-caller.ts';
import type { CallOptions } from '../client-options.ts';
import { ApiUsageError } from '../api-errors.ts';
import {
  createPaged,
  type Page,
  type Paged,
  type PagedOptions,
  pageGuard,
  walkCursors,
} from '../pagination.ts';
import type { BadItem, Drift } from '../parse-response.ts';
import { checkParameters, factsOf, type ServiceRoute } from '../define-routes.ts';
import { addDays, countDays, type DayRange, daysOf } from '../schema-parts.ts';
import { analyticsRoutes } from './analytics-routes.ts';
import type { AnalyticsMeta, UserRow } from './rows.ts';
import {
  checkRange,
  readWindowCursor,
  walkWindows,
  windowCursor,
  type WindowPlace,
} from './windows.ts';

export interface AnalyticsOptions extends CallOptions {
  /** Omit the last day, once, if the service still considers it today; for scheduled jobs. */
  readonly stepBack?: boolean;
}

export interface AnalyticsResult<Row> {
  /** By date; one row per day, or per group and day. */
  readonly data: readonly Row[];
  /** Of the last request, with the start of the first. */
  readonly meta: AnalyticsMeta;
  readonly badItems: readonly BadItem[];
  /** Changes made to the request. */
  readonly warnings: readonly string[];
  /** Days of the range without a row: not zero, but not available (yet). */
  readonly missingDays: readonly string[];
}

/** User rows, page by page over all windows of the range. */
export interface UserRows extends Paged<UserRow> {
  readonly warnings: readonly string[];
}

/** A page of one window as a page of the whole range: its cursor, also in the raw response, continues over the windows. */
function inRange(
  page: Page<UserRow>,
  window: DayRange,
  range: DayRange,
  hasMore: boolean | null | undefined,
): Page<UserRow> {
  if (window.startDate === range.startDate && window.endDate === range.endDate) return page;
  const from = addDays(window.endDate, 1);
  const isLast = from > range.endDate;
  const next =
    page.next !== null
      ? windowCursor({ inside: { window, cursor: page.next }, from })
      : hasMore === true || isLast
        ? null
        : windowCursor({ inside: null, from });
  return { ...page, next, raw: withCursor(page.raw, next ?? '', hasMore === true || !isLast) };
}

function withCursor(raw: unknown, cursor: string, hasMore: boolean): unknown {
  if (typeof raw !== 'object' || raw === null || !('meta' in raw)) return raw;
  const { meta } = raw;
  if (typeof meta !== 'object') return raw;
  return { ...raw, meta: { ...meta, has_more: hasMore, next_cursor: cursor } };
}

type Grouped<Dimension extends string> = DayRange & { readonly group_by: Dimension };
type Ungrouped = DayRange & { readonly group_by?: undefined };

/** An endpoint whose rows can be grouped; grouped rows have another type. */
export interface Groupable<Dimension extends string, Row, GroupedRow> {
  (parameters: Ungrouped, options?: AnalyticsOptions): Promise<AnalyticsResult<Row>>;
  (
    parameters: Grouped<Dimension>,
    options?: AnalyticsOptions,
  ): Promise<AnalyticsResult<GroupedRow>>;
}

/** The method of a route of days; its rows can be grouped if the route says so. */
export type DailyMethod<R extends ServiceRoute> = R extends {
  readonly grouped: { readonly response: infer GroupedResponse };
  readonly parameters: z.ZodType<{ group_by?: (infer Dimension) | undefined }>;
}
  ? Groupable<Dimension & string, RowOf<R['response']>, RowOf<GroupedResponse>>
  : (
      parameters: DayRange,
      options?: AnalyticsOptions,
    ) => Promise<AnalyticsResult<RowOf<R['response']>>>;

type RowOf<Response> = Response extends z.ZodType<{ data: (infer Row)[] }> ? Row : never;

/** A route of days, whatever its rows. */
type DailyRoute = ServiceRoute & {
  readonly parameters: z.ZodType<DayRange & { group_by?: string | undefined }>;
  readonly response: z.ZodType<Envelope<PlacedRow>>;
  readonly grouped: { readonly response: z.ZodType<Envelope<PlacedRow>> } | null;
};

const route = analyticsRoutes['analytics.users'];

interface Envelope<Row> {
  data: Row[];
  meta: AnalyticsMeta;
}

export function createDaily(
  caller: Caller,
  { now, windowDays }: Pick<MethodSettings, 'now' | 'windowDays'>,
) {
  function planOf(of: ServiceRoute, days: DayRange, { stepBack = false }: AnalyticsOptions) {
    const checked = checkRange(days, now());
    if (!checked.ok) {
      throw new ApiUsageError(checked.problem, { ...factsOf(of), attempts: 0 });
    }
    const warnings = [...checked.warnings];
    const warn = (warning: string): number => warnings.push(warning);
    return { range: checked.range, windowDays, stepBack, warn, warnings };
  }

  const rows =
    (daily: DailyRoute) =>
    async (
      unchecked: unknown,
      options: AnalyticsOptions = {},
    ): Promise<AnalyticsResult<PlacedRow>> => {
      const parameters = checkParameters(daily, unchecked);
      const isGrouped = parameters.group_by !== undefined;
      const response = (isGrouped ? daily.grouped?.response : undefined) ?? daily.response;
      const plan = planOf(daily, parameters, options);
      const { range, warnings } = plan;
      const isNew = createRowFilter(range, (drift) => caller.note(daily.id, drift));
      const found: PlacedRow[] = [];
      const badItems: BadItem[] = [];
      let meta: AnalyticsMeta = {};
      for await (const answer of walkWindows(plan, async function* (window) {
        yield await caller.call({ ...daily, response }, { ...parameters, ...window }, options);
      })) {
        found.push(...answer.value.data.filter(isNew));
        badItems.push(...answer.badItems);
        const { meta: latest } = answer.value;
        meta = { ...latest, start_date: meta.start_date ?? latest.start_date };
      }
      const days = new Set<string>(found.map(({ date }) => date));
      const missingDays = daysOf(range).filter((day) => !days.has(day));
      return { data: sortByDate(found), meta, badItems, warnings, missingDays };
    };

  /** @throws UsageError when a parameter is invalid */
  function users(unchecked: unknown, options: AnalyticsOptions & PagedOptions = {}): UserRows {
    const parameters = checkParameters(route, unchecked);
    const plan = planOf(route, parameters, options);
    const { range, warnings } = plan;
    const place = placeOf(parameters.cursor, range);

    async function* pages(): AsyncGenerator<Page<UserRow>, void, undefined> {
      const isNew = createRowFilter(range, (drift) => caller.note(route.id, drift));
      async function* pagesOf(
        window: DayRange,
        start?: string,
      ): AsyncGenerator<Page<UserRow>, void, undefined> {
        let hasMore: boolean | null | undefined;
        const walk = walkCursors(
          start,
          async (cursor) => {
            const query = { ...parameters, ...window, cursor };
            const answer = await caller.call(route, query, options);
            const { data, meta } = answer.value;
            const { badItems, raw } = answer;
            hasMore = meta.has_more;
            return { items: data.filter(isNew), badItems, raw, hasMore, cursor: meta.next_cursor };
          },
          pageGuard(route, options),
        );
        for await (const page of walk) yield inRange(page, window, range, hasMore);
      }
      if (place === null) {
        yield* walkWindows(plan, pagesOf);
        return;
      }
      const { inside, from } = place;
      if (inside !== null) yield* pagesOf(inside.window, inside.cursor);
      if (from <= range.endDate) {
        yield* walkWindows({ ...plan, range: { ...range, startDate: from } }, pagesOf);
      }
    }

    return { ...createPaged(pages, sortByDate), warnings };
  }

  /** The position of a cursor; null for the start. */
  function placeOf(cursor: string | undefined, range: DayRange): WindowPlace | null {
    if (cursor === undefined) return null;
    const place = readWindowCursor(cursor, range);
    if (place !== null) return place;
    if (countDays(range) > windowDays) {
      const reason = `cursor "${cursor}" does not belong to this range: more than ${windowDays} days are requested in windows, so pass the next_cursor returned for the same range, or request at most ${windowDays} days`;
      throw new ApiUsageError(reason, { ...factsOf(route), attempts: 0 });
    }
    return { inside: { window: range, cursor }, from: addDays(range.endDate, 1) };
  }

  return { rows, users };
}

/** The keys of a row; the second and third are on grouped and user rows. */
interface PlacedRow {
  readonly date: string;
  readonly group_key?: unknown;
  readonly user_id?: unknown;
}

/** A filter for the rows of one iteration: windows and pages can overlap, and exceed the range, which includes both ends. */
function createRowFilter(
  { startDate, endDate }: DayRange,
  report: (drift: Drift) => void,
): (row: PlacedRow) => boolean {
  const seen = new Set<string>();
  return ({ date, group_key: group, user_id: user }) => {
    if (date < startDate || date > endDate) {
      report({ kind: 'out-of-range', jsonPath: '$.data[]' });
      return false;
    }
    const key = JSON.stringify([date, group, user]);
    if (seen.has(key)) {
      report({ kind: 'duplicate', jsonPath: '$.data[]' });
      return false;
    }
    seen.add(key);
    return true;
  };
}

/** Sorts rows by day, because the service guarantees no order. Rows of one day keep their order. */
function sortByDate<Row extends PlacedRow>(rows: readonly Row[]): Row[] {
  return rows.toSorted((one, other) =>
    one.date < other.date ? -1 : Number(one.date > other.date),
  );
}
