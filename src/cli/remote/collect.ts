import type { BadItem, Page, Paged, Route } from '../../api/index.ts';
import { ApiError } from '../../api/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { readWrite } from './read-write.ts';
import type { Shown } from './show.ts';

/**
 * How much of a list is wanted.
 *
 * - a number: over as many pages as it takes, up to so many items
 * - `page`: one answer, as the service sent it
 */
export type Extent = number | 'page';

/** Waits for what `callRoute` gives. @throws ApiError as the call does */
export async function collect(
  route: Route,
  result: Promise<unknown> | Paged<unknown>,
  extent: Extent,
): Promise<Shown> {
  if ('pages' in result) {
    return extent === 'page' ? firstPage(route, result) : collectPages(result, extent);
  }
  const value = await result;
  const written = readWrite(route.id, value);
  if (written !== null) return written;
  const [list] = route.lists;
  if (list === undefined || !isJsonObject(value)) {
    return { items: [value], isList: false, json: value };
  }
  return readList(list, value, extent);
}

function readList(list: string, value: JsonObject, extent: Extent): Shown {
  const { badItems: bad, warnings, missingDays, ...answer } = value;
  const items = arrayOf(answer[list]);
  const badItems: readonly BadItem[] = Array.isArray(bad) ? bad : [];
  const whole = [...items, ...badItems.map(({ raw }) => raw)];
  return {
    items,
    isList: true,
    json: extent === 'page' ? { ...answer, [list]: whole } : whole,
    badItems,
    notes: [...textsIn(warnings), ...missingDaysNote(textsIn(missingDays))],
  };
}

async function firstPage(route: Route, list: Paged<unknown>): Promise<Shown> {
  const pages: Page<unknown>[] = [];
  const failure = await untilFailure(list, (page) => {
    pages.push(page);
    // Whether the service says that there is more, but not where, shows only when the walk goes on.
    return page.next === null;
  });
  const [page] = pages;
  if (page === undefined) return { items: [], isList: true, json: [] };
  const { items, badItems, raw, next } = page;
  const option = route.pages === 'after' ? '--startAfter' : '--cursor';
  const more = `There are more: go on with ${option} "${next}", or show them all with --paginate`;
  const notes = [...warningsOf(list), ...(next === null ? [] : [more])];
  return { items, isList: true, json: raw, badItems, notes, failure, isPartial: next !== null };
}

/**
 * Hands pages over until `take` wants no more.
 *
 * @returns what ended the walk early: the pages before it are of use all the same
 * @throws ApiError where not even the first page came
 */
async function untilFailure(
  list: Paged<unknown>,
  take: (page: Page<unknown>) => boolean,
): Promise<ApiError | null> {
  let taken = 0;
  try {
    for await (const page of list.pages()) {
      taken += 1;
      if (!take(page)) break;
    }
    return null;
  } catch (error) {
    if (taken > 0 && error instanceof ApiError) return error;
    throw error;
  }
}

async function collectPages(list: Paged<unknown>, max: number): Promise<Shown> {
  const items: unknown[] = [];
  const badItems: BadItem[] = [];
  const json: unknown[] = [];
  let isCut = false;
  const failure = await untilFailure(list, (page) => {
    const taken = page.items.slice(0, max - items.length);
    items.push(...taken);
    badItems.push(...page.badItems);
    json.push(...taken, ...page.badItems.map(({ raw }) => raw));
    const isFull = items.length >= max;
    isCut = isFull && (taken.length < page.items.length || page.next !== null);
    return !isFull;
  });
  const cut = isCut ? [`There are more than these ${max}: raise --max to see them`] : [];
  const notes = [...warningsOf(list), ...cut];
  return { items, isList: true, json, badItems, notes, failure, isPartial: isCut };
}

function warningsOf(list: Paged<unknown>): readonly string[] {
  return 'warnings' in list ? textsIn(list.warnings) : [];
}

function missingDaysNote(days: readonly string[]): readonly string[] {
  if (days.length === 0) return [];
  return [`Not available (yet), which is not zero: ${days.join(', ')} (UTC)`];
}

function textsIn(value: unknown): readonly string[] {
  return arrayOf(value).filter((entry) => typeof entry === 'string');
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
