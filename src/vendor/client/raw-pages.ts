import type { Client } from './client.ts';
import { PaginationError } from './errors.ts';
import { MAX_PAGES } from './pagination.ts';
import type { RawAnswer, RawOptions } from './raw-request.ts';

/** A page of a raw list. */
export interface RawPage {
  readonly answer: RawAnswer;
  readonly items: readonly unknown[];
}

/** The position of the next page, as a query. */
type Next = Readonly<Record<string, string>> | null;

/**
 * Iterates over the pages of a raw GET, in the style of the responses (one of the service's three); a response without a
 * style is the only page.
 *
 * @throws PaginationError when a cursor is missing or repeated, or there are too many pages
 */
export async function* rawPages(
  request: Client['request'],
  path: string,
  { query = {}, ...options }: RawOptions = {},
): AsyncGenerator<RawPage, void, undefined> {
  const fail = (reason: string): PaginationError =>
    new PaginationError(reason, { route: 'raw', method: 'GET', path, attempts: 0 });
  const seen = new Set<string>();
  let next: Next = {};
  for (let page = 1; next !== null; page += 1) {
    if (page > MAX_PAGES) throw fail(`paging did not end after ${MAX_PAGES} pages`);
    const answer = await request('GET', path, { ...options, query: { ...query, ...next } });
    const items = itemsOf(answer.body);
    yield { answer, items };
    next = nextOf(answer.body, items, fail);
    for (const cursor of Object.values(next ?? {})) {
      if (seen.has(cursor)) throw fail(`the service repeated the cursor "${cursor}"`);
      seen.add(cursor);
    }
  }
}

/** The single list of a response: each list response of the interface has exactly one. */
function itemsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  const lists = Object.values(asObject(body)).filter((value) => Array.isArray(value));
  return lists.length === 1 ? (lists[0] ?? []) : [body];
}

function nextOf(
  body: unknown,
  items: readonly unknown[],
  fail: (reason: string) => PaginationError,
): Next {
  const { meta, pagination, reports } = asObject(body);
  if (Array.isArray(reports)) {
    const { reportId } = asObject(items.at(-1));
    return typeof reportId === 'string' ? { startAfter: reportId } : null;
  }
  const { has_more: more, next_cursor: metaCursor } = asObject(meta);
  const { hasMore, nextCursor } = asObject(pagination);
  if (more !== true && hasMore !== true) return null;
  const cursor = more === true ? metaCursor : nextCursor;
  if (typeof cursor === 'string') return { cursor };
  throw fail('the service reports more pages but returned no cursor');
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
