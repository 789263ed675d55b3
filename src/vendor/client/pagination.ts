import { isJsonObject, type JsonObject } from '../../platform/json.ts';
import type { CallOptions } from './client-options.ts';
import { ApiError, keepReceived, PaginationError } from './api-errors.ts';
import type { BadItem } from './parse-response.ts';
import { factsOf, type ServiceRoute } from './define-routes.ts';

/** One page of a list. */
export interface Page<Item, Raw = unknown> {
  readonly items: readonly Item[];
  /** Invalid items. */
  readonly badItems: readonly BadItem[];
  /** The next cursor; null on the last page. */
  readonly next: string | null;
  /** As the service sent it, secrets hidden. */
  readonly raw: Raw;
}

/** A paged list, fetched as it is read. Every iteration starts over. */
export interface Paged<Item> extends AsyncIterable<Item> {
  readonly pages: () => AsyncGenerator<Page<Item>, void, undefined>;
  /** At most `max` items. If a page fails, the ApiError has the items before it in `received`. */
  readonly all: (options: { readonly max: number }) => Promise<Item[]>;
}

export interface PagedOptions extends CallOptions {
  /** Maximum number of pages, because a faulty list may never end; 1000 by default. */
  readonly maxPages?: number;
}

const MAX_PAGES = 1_000;

/** @param arrange sorts the items of `all` if the service guarantees no order */
export function createPaged<Item>(
  pages: Paged<Item>['pages'],
  arrange: (items: Item[]) => Item[] = (items) => items,
): Paged<Item> {
  async function* walkItems(): AsyncGenerator<Item, void, undefined> {
    for await (const page of pages()) yield* page.items;
  }
  return {
    pages,
    [Symbol.asyncIterator]: walkItems,
    all: async ({ max }) => {
      const found: Item[] = [];
      if (max <= 0) return found;
      try {
        for await (const item of walkItems()) {
          found.push(item);
          if (found.length >= max) break;
        }
      } catch (error) {
        if (error instanceof ApiError) keepReceived(error, arrange(found));
        throw error;
      }
      return arrange(found);
    },
  };
}

/** A page with the position of the next one. */
export interface CursorAnswer<Item, Raw = unknown> extends Omit<Page<Item, Raw>, 'next'> {
  readonly hasMore: boolean | null | undefined;
  readonly cursor: string | null | undefined;
}

export interface WalkGuard {
  readonly maxPages: number;
  readonly fail: (reason: string) => Error;
}

/**
 * Follows cursors while the service reports more pages, empty ones too, which filtering stores send.
 *
 * @throws the guard's error when a cursor is missing or repeated, or there are too many pages
 */
export async function* walkCursors<Item, Raw>(
  start: string | undefined,
  fetchPage: (cursor: string | undefined) => Promise<CursorAnswer<Item, Raw>>,
  { maxPages, fail }: WalkGuard,
): AsyncGenerator<Page<Item, Raw>, void, undefined> {
  const seen = new Set<string>();
  let cursor = start;
  for (let page = 1; ; page += 1) {
    if (cursor !== undefined) seen.add(cursor);
    const { items, badItems, raw, ...answer } = await fetchPage(cursor);
    const next = answer.hasMore === true ? (answer.cursor ?? null) : null;
    yield { items, badItems, raw, next };
    if (answer.hasMore !== true) return;
    if (next === null) throw fail('the service reports more pages but returned no cursor');
    if (seen.has(next)) throw fail(`the service repeated the cursor "${next}"`);
    if (page >= maxPages) throw fail(`paging did not end after ${maxPages} pages`);
    cursor = next;
  }
}

/**
 * Iterates over a list without a pagination object: the next page is requested by the id of the last item.
 * A page without new ids is the end. Repeated items are skipped.
 *
 * @throws the guard's error when the last item has no readable id, or there are too many pages
 */
export async function* walkAfter<Item>(
  start: string | undefined,
  fetchPage: (after: string | undefined) => Promise<Omit<Page<Item>, 'next'>>,
  { maxPages, fail }: WalkGuard,
): AsyncGenerator<Page<Item>, void, undefined> {
  const seen = new Set<string>(start === undefined ? [] : [start]);
  let after = start;
  for (let page = 1; ; page += 1) {
    const answer = await fetchPage(after);
    const items: Item[] = [];
    for (const item of answer.items) {
      if (!seen.has(idOf(item))) items.push(item);
      seen.add(idOf(item));
    }
    const last = items.at(-1);
    const next = last === undefined ? null : idOf(last);
    yield { ...answer, items, next };
    if (next === null) {
      if (answer.items.length === 0 && answer.badItems.length > 0) {
        throw fail('no item of a page has a readable id to continue from');
      }
      return;
    }
    if (page >= maxPages) throw fail(`paging did not end after ${maxPages} pages`);
    after = next;
  }
}

export function pageGuard(
  route: Pick<ServiceRoute, 'id' | 'method' | 'path'>,
  { maxPages = MAX_PAGES }: PagedOptions,
): WalkGuard {
  return {
    maxPages,
    fail: (reason) => new PaginationError(reason, { ...factsOf(route), attempts: 0 }),
  };
}

export function walkPages(
  { lists: [list = ''], pages }: ServiceRoute,
  parameters: JsonObject,
  ask: (
    query: JsonObject,
  ) => Promise<Pick<Page<unknown>, 'badItems' | 'raw'> & { readonly value: JsonObject }>,
  guard: WalkGuard,
): AsyncGenerator<Page<unknown>, void, undefined> {
  const name = pages === 'after' ? 'startAfter' : 'cursor';
  const fetchPage = async (from: string | undefined): Promise<CursorAnswer<unknown>> => {
    const { value, badItems, raw } = await ask({ ...parameters, [name]: from });
    const { [list]: items } = value;
    return { items: Array.isArray(items) ? items : [], badItems, raw, ...positionIn(value) };
  };
  const start = parameters[name];
  const from = typeof start === 'string' ? start : undefined;
  return pages === 'after'
    ? walkAfter(from, fetchPage, guard)
    : walkCursors(from, fetchPage, guard);
}

/** What a response says about the next page: `meta` does in analytics, `pagination` below `/api/v0`. */
export function positionIn(body: JsonObject): Pick<CursorAnswer<unknown>, 'hasMore' | 'cursor'> {
  const { meta, pagination } = body;
  const { has_more: hasMore, next_cursor: cursor } = isJsonObject(meta) ? meta : {};
  if (hasMore === true) return { hasMore, cursor: typeof cursor === 'string' ? cursor : null };
  const { hasMore: more, nextCursor } = isJsonObject(pagination) ? pagination : {};
  return { hasMore: more === true, cursor: typeof nextCursor === 'string' ? nextCursor : null };
}

/** Readiness reports are the only list that continues after an item. */
export function idOf(item: unknown): string {
  const id = isJsonObject(item) ? item['reportId'] : undefined;
  return typeof id === 'string' ? id : '';
}
