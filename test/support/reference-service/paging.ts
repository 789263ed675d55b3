import { type Call, pageSizeOf, type RouteRefusal, refuse } from './call.ts';
import { randomFor } from './random.ts';

export interface ServedPage<Row> {
  readonly isRefusal: false;
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  /** "" on the last page; null or undefined only by fault. */
  readonly next: string | null | undefined;
}

/** The limit the document states for sessions and organization users; for the history it states none. */
const PRESET_LIMIT = 20;

/**
 * Cuts the page that a request asks for, together with the cursor of the next one.
 *
 * @param nameCursor makes a cursor of the last row of a page; without it a cursor is an opaque word
 */
export function cutPage<Row>(
  call: Call,
  items: readonly Row[],
  nameCursor?: (last: Row) => string,
): ServedPage<Row> | RouteRefusal {
  const { cursors } = call.world;
  const scope = scopeOf(call);
  const cursor = call.query.get('cursor');
  const start = cursor === undefined ? 0 : cursors.positionOf(scope, cursor);
  if (start === undefined) return refuse(400, `Unknown cursor "${cursor}" for these parameters`);

  const limit = pageSizeOf(call, PRESET_LIMIT);
  const { page } = call.knobs;
  const from = page === 'overlapping' ? Math.max(0, start - 1) : start;
  const end = page === 'empty' ? start : start + (page === 'short' ? Math.ceil(limit / 2) : limit);
  const rows = page === 'empty' ? [] : items.slice(from, end);
  const last = rows.at(-1);
  const named = nameCursor === undefined || last === undefined ? undefined : nameCursor(last);
  // An empty page leads to where it stands, so its cursor must differ from the one that led to it.
  const salt = page === 'empty' ? cursors.issued(scope).length : '';
  const opaque = randomFor(call.world.seed, scope, end, salt).hex(24);
  return turnPage(call, { scope, rows, end, total: items.length, name: named ?? `cur_${opaque}` });
}

function turnPage<Row>(
  call: Call,
  page: { scope: string; rows: readonly Row[]; end: number; total: number; name: string },
): ServedPage<Row> {
  const { cursors } = call.world;
  const { scope, rows, end } = page;
  const cursor = call.query.get('cursor');
  const more = (next: string | null | undefined): ServedPage<Row> => ({
    isRefusal: false,
    rows,
    hasMore: true,
    next,
  });
  const further = (name: string): ServedPage<Row> => {
    cursors.issue(scope, name, end);
    return more(name);
  };
  const fault = call.knobs.cursor;
  if (fault === undefined) {
    return end < page.total ? further(page.name) : { ...more(''), hasMore: false };
  }
  switch (fault) {
    case 'repeated':
      return cursor === undefined ? further(page.name) : more(cursor);
    case 'cyclic': {
      const [first, second] = cursors.issued(scope);
      return first !== undefined && cursor === second ? more(first) : further(page.name);
    }
    case 'missing':
      return more(undefined);
    case 'null':
      return more(null);
    case 'empty':
      return further('');
  }
}

/** The question without the cursor: a walk must repeat it unchanged. */
function scopeOf(call: Call): string {
  const rest = [...call.query].filter(([name]) => name !== 'cursor');
  return JSON.stringify([call.routeId, rest.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
}
