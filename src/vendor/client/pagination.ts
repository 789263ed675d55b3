import type { CallOptions } from './client-options.ts';
import { ApiError, keepReceived, PaginationError } from './errors.ts';
import type { BadItem } from './parse-response.ts';
import type { Route } from './route.ts';
import { factsOf, type Pagination } from './schema-parts.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Invalid items. */
  readonly badItems: readonly BadItem[];
  /** The next cursor; null on the last page. */
  readonly next: string | null;
  /** As the service sent it, secrets hidden. */
  readonly raw: unknown;
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

export const MAX_PAGES = 1_000;

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

/** The position of the next page. */
export interface CursorAnswer<Item> {
  readonly items: readonly Item[];
  readonly badItems: readonly BadItem[];
  readonly raw: unknown;
  readonly hasMore: boolean | null | undefined;
  readonly cursor: string | null | undefined;
}

export interface WalkGuard {
  readonly maxPages: number;
  readonly fail: (reason: string) => Error;
}

/**
 * Follows cursors while the service reports more pages. An empty page does not end the list, because filtering stores send
 * them. A repeated cursor would loop.
 *
 * @throws the guard's error when a cursor is missing or repeated, or there are too many pages
 */
export async function* walkCursors<Item>(
  start: string | undefined,
  fetchPage: (cursor: string | undefined) => Promise<CursorAnswer<Item>>,
  { maxPages, fail }: WalkGuard,
): AsyncGenerator<Page<Item>, void, undefined> {
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

/** Iterates over a list with a `pagination` object in its responses. */
export function walkPagination<
  Value extends { readonly pagination?: Pagination | null | undefined },
  Item,
>(
  start: string | undefined,
  ask: (
    cursor: string | undefined,
  ) => Promise<Pick<Page<Item>, 'badItems' | 'raw'> & { readonly value: Value }>,
  itemsOf: (value: Value) => readonly Item[],
  guard: WalkGuard,
): AsyncGenerator<Page<Item>, void, undefined> {
  return walkCursors(
    start,
    async (cursor) => {
      const { value, badItems, raw } = await ask(cursor);
      const { hasMore, nextCursor } = value.pagination ?? {};
      return { items: itemsOf(value), badItems, raw, hasMore, cursor: nextCursor };
    },
    guard,
  );
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
  idOf: (item: Item) => string,
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

/** The guard for paging a route. */
export function pageGuard(route: Route, { maxPages = MAX_PAGES }: PagedOptions): WalkGuard {
  return {
    maxPages,
    fail: (reason) => new PaginationError(reason, { ...factsOf(route), attempts: 0 }),
  };
}
