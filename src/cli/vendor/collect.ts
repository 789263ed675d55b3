import { isJsonObject, type JsonObject } from '../../platform/json.ts';
import { displayText } from '../../text/sanitize.ts';
import {
  type AnyRoute,
  ApiError,
  type BadItem,
  type Client,
  type Page,
  type Paged,
  type Route,
  type RouteOptions,
} from '../../vendor/client/index.ts';
import { type CommandContext, type ExitCode, exitCodes } from '../context.ts';
import type { Output } from '../output.ts';
import { show, type ShownResult } from './show.ts';

/** Reads the result of a call for which the client does more than send a request; null for any other. */
function readWrite(id: string, value: unknown): ShownResult | null {
  if (!isJsonObject(value)) return null;
  if (id === 'org.setLimits') return readLimits(value);
  if (id === 'computers.installDeps') return readInstall(value);
  return id === 'sessions.addMessage' ? readAdded(value) : null;
}

/** One row per entry; unless all have the requested limit, the result is at most partial. */
function readLimits({ outcomes, answers, badItems, failure }: JsonObject): ShownResult {
  const items = Array.isArray(outcomes) ? outcomes.filter(isJsonObject) : [];
  const updated = items.filter(({ outcome }) => outcome === 'updated').length;
  const asAsked = items.filter(({ limit, returned }) => limit === returned).length;
  // Nothing took effect, so the error is enough.
  if (failure instanceof Error && updated === 0) throw failure;
  const notes = failure instanceof Error ? [failure.message] : [];
  return {
    items,
    isList: true,
    json: mergedAnswers(Array.isArray(answers) ? answers.filter(isJsonObject) : []),
    badItems: Array.isArray(badItems) ? badItems : [],
    notes,
    exitCode: asAsked === items.length ? exitCodes.ok : exitCodes.partial,
  };
}

/** More than 100 entries take several requests, whose responses are merged. */
function mergedAnswers(answers: readonly JsonObject[]): JsonObject {
  const all = (name: string): unknown[] =>
    answers.flatMap(({ [name]: list }) => (Array.isArray(list) ? list : []));
  return { ...answers[0], updated: all('updated'), errors: all('errors') };
}

const installNotes: Readonly<Record<string, string>> = {
  accepted: 'The service is reinstalling the dependencies',
  inferred:
    'The response was lost, but the computer changed: the service is installing the dependencies',
  'already-running': 'The service is already installing the dependencies',
};

function readInstall({ outcome, computer }: JsonObject): ShownResult {
  const note = typeof outcome === 'string' ? installNotes[outcome] : undefined;
  const notes = note === undefined ? [] : [note];
  return { items: [computer], isList: false, json: computer, notes };
}

function readAdded({ inferred, answer, status }: JsonObject): ShownResult {
  const item = inferred === true ? { messageId: null, status } : answer;
  const note = 'The response was lost, but the session contains the message';
  return { items: [item], isList: false, json: item, notes: inferred === true ? [note] : [] };
}

/**
 * How much of a list to fetch.
 *
 * - a number: all pages needed for at most that many items
 * - `page`: one response, as the service sent it
 */
export type Extent = number | 'page';

/** Awaits the result of a typed call. @throws ApiError as the call does */
export async function collectResult(
  route: Route,
  result: Promise<unknown> | Paged<unknown>,
  extent: Extent,
): Promise<ShownResult> {
  if ('pages' in result) {
    return extent === 'page' ? firstPage(route, result) : collectPages(result, extent);
  }
  const value = await result;
  const written = readWrite(route.id, value);
  if (written !== null) return written;
  const [list] = route.lists;
  if (list !== undefined && isJsonObject(value)) return readList(list, value, extent);
  return { items: [value], isList: false, json: value };
}

function readList(list: string, value: JsonObject, extent: Extent): ShownResult {
  const { badItems: bad, warnings, missingDays, ...answer } = value;
  const days = textsIn(missingDays);
  const items = arrayOf(answer[list]);
  const badItems: readonly BadItem[] = Array.isArray(bad) ? bad : [];
  const whole = [...items, ...badItems.map(({ raw }) => raw)];
  return {
    items,
    isList: true,
    json: extent === 'page' ? { ...answer, [list]: whole } : whole,
    badItems,
    notes: [
      ...textsIn(warnings),
      ...(days.length === 0 ? [] : [`No data yet (not zero): ${days.join(', ')} (UTC)`]),
    ],
  };
}

async function firstPage(route: Route, list: Paged<unknown>): Promise<ShownResult> {
  const pages: Page<unknown>[] = [];
  const failure = await untilFailure(list, (page) => {
    pages.push(page);
    // A response that reports more pages without a cursor shows only on the next page request.
    return page.next === null;
  });
  const [page] = pages;
  if (page === undefined) return { items: [], isList: true, json: [] };
  const { items, badItems, raw, next } = page;
  const option = route.pages === 'after' ? '--startAfter' : '--cursor';
  const more = `More items: continue with ${option} "${next}", or list all with --paginate`;
  const notes = [...warningsOf(list), ...(next === null ? [] : [more])];
  return { items, isList: true, json: raw, badItems, notes, failure, isPartial: next !== null };
}

/**
 * Passes pages to `take` until it wants no more.
 *
 * @returns the error that ended paging early: the pages before it are still useful
 * @throws ApiError if the first page fails
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

async function collectPages(list: Paged<unknown>, max: number): Promise<ShownResult> {
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
  const cut = isCut ? [`Showing the first ${max}: raise --max to see more`] : [];
  const notes = [...warningsOf(list), ...cut];
  return { items, isList: true, json, badItems, notes, failure, isPartial: isCut };
}

function warningsOf(list: Paged<unknown>): readonly string[] {
  return 'warnings' in list ? textsIn(list.warnings) : [];
}

function textsIn(value: unknown): readonly string[] {
  return arrayOf(value).filter((entry) => typeof entry === 'string');
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A typed call of a command. */
interface RemoteCall {
  readonly route: AnyRoute;
  /** Checked by the client before sending. */
  readonly parameters: unknown;
  readonly options?: RouteOptions;
  readonly extent: Extent;
  readonly csv?: boolean | undefined;
}

/** Makes a typed call and prints its result. @throws ApiError as the call does */
export async function callAndShow(
  context: CommandContext,
  api: Client,
  call: RemoteCall,
): Promise<ExitCode> {
  return printCall(context, call, await makeCall(api, call));
}

/** Makes a typed call. @throws ApiError as the call does */
export function makeCall(
  api: Client,
  { route, parameters, options, extent }: RemoteCall,
): Promise<ShownResult> {
  return collectResult(route, api.call(route.id, parameters, options), extent);
}

/** Prints the result of a typed call. */
export function printCall(
  { output, json }: CommandContext,
  { route, parameters, csv }: RemoteCall,
  shown: ShownResult,
): ExitCode {
  const isGrouped = isJsonObject(parameters) && parameters['group_by'] !== undefined;
  const { view, grouped }: Route = route;
  const format = csv === true ? 'csv' : json ? 'json' : 'people';
  show(output, (isGrouped ? grouped?.view : undefined) ?? view, shown, format);
  const { failure = null, items, exitCode = exitCodes.ok } = shown;
  if (failure === null) return exitCode;
  complainOfCut(output, items.length, failure);
  return exitCodes.partial;
}

/** Reports why a list is incomplete. */
export function complainOfCut(output: Output, count: number, { message, hint }: ApiError): void {
  output.complain(`Only the first ${count} items could be read: ${displayText(message)}`);
  if (hint !== undefined) output.complain(`  ${hint}`);
}
