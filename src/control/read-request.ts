import { z } from 'zod';

import { describeIssue } from '../config/problem.ts';
import { UsageError } from '../platform/errors.ts';
import type { HistoryStore } from '../core/history.ts';
import { cutText } from '../text/sanitize.ts';
import type { ControlRequest } from './control-server.ts';

/** An error lists at most this many candidates. */
const LISTED = 5;
/** … in at most this many characters. */
const MOST_LISTED = 1_000;

const nouns = {
  events: 'events',
  deliveries: 'deliveries',
  queue: 'deliveries',
  mutes: 'mutes',
} as const;

/**
 * The full id for an id or the beginning of one.
 *
 * @returns null where no id begins with it
 * @throws UsageError with the candidates where several do, none of them being the whole word
 */
export async function wholeId(
  history: Pick<HistoryStore, 'idsBeginning'>,
  table: keyof typeof nouns,
  word: string,
): Promise<string | null> {
  const found = await history.idsBeginning(table, word, LISTED + 1);
  const [first, ...others] = found;
  if (first === undefined) return null;
  // The whole id comes first in alphabetical order.
  if (first === word || others.length === 0) return first;
  throw ambiguousId(nouns[table], word, found);
}

/**
 * The full ids for given ids or beginnings; a word that matches none stays, and finds nothing later.
 *
 * @param tables where to look, the first that has such an id being the one that counts
 */
export function wholeIds(
  history: Pick<HistoryStore, 'idsBeginning'>,
  tables: readonly (keyof typeof nouns)[],
  words: readonly string[],
): Promise<readonly string[]> {
  return Promise.all(
    words.map(async (word) => {
      for (const table of tables) {
        const found = await wholeId(history, table, word);
        if (found !== null) return found;
      }
      return word;
    }),
  );
}

/** @param candidates what the person may have meant, as they can type it */
export function ambiguousId(noun: string, word: string, candidates: readonly string[]): UsageError {
  const listed = candidates.slice(0, LISTED).join(', ');
  const more = candidates.length > LISTED ? ', …' : '';
  return new UsageError(`Several ${noun} have an id that begins with "${word}"`, {
    hint: `Type more of one of these: ${listed}${more}`,
  });
}

/** A `CallerProof`; here, because a command that makes one loads no zod. */
export const callerProof = z.strictObject({ challenge: z.string(), pid: z.int().positive() });

const idsBody = z.union([
  z.strictObject({ ids: z.array(z.string()).min(1) }),
  z.strictObject({ all: z.literal(true) }),
]);

/** The full ids of the things that a body names; `all` if it names all of them. */
export async function idsIn<const All extends string>(
  body: unknown,
  history: Pick<HistoryStore, 'idsBeginning'>,
  tables: readonly (keyof typeof nouns)[],
  all: All,
): Promise<readonly string[] | All> {
  const wanted = parseBody(idsBody, body);
  return 'ids' in wanted ? wholeIds(history, tables, wanted.ids) : all;
}

/** @throws UsageError when the body of a control request has another shape */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(body, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw new UsageError(`Cannot use the request: ${problemsOf(parsed.error)}`);
}

/** Names of parts are those of the request, so they may be long. */
function problemsOf({ issues }: z.ZodError): string {
  const listed = issues.slice(0, LISTED).map((issue) => {
    const isUnknown = issue.code === 'unrecognized_keys';
    const part = isUnknown ? issue.keys.join('", "') : z.core.toDotPath(issue.path);
    return `"${part}" ${issue.message}`;
  });
  const more = issues.length - LISTED;
  return `${cutText(listed.join('; '), MOST_LISTED)}${more > 0 ? `; and ${more} more` : ''}`;
}

type Query = ControlRequest['query'];

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

/** @throws UsageError, as all readers here, for a value that cannot be meant */
export function limitOf(query: Query): number {
  const text = query.get('limit');
  if (text === null) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`The limit is "${text}", expected a whole number from 1 to ${MAX_LIMIT}`);
}

/** A whole number, such as a time or a duration in ms. */
export function numberOf(query: Query, key: string, fallback?: number): number {
  const text = query.get(key);
  if (text === null && fallback !== undefined) return fallback;
  const number = Number(text ?? Number.NaN);
  if (Number.isSafeInteger(number)) return number;
  throw new UsageError(`"${key}" is not a whole number of ms`);
}

export function listOf<const Name extends string>(
  query: Query,
  key: string,
  known: readonly Name[],
): readonly Name[] | null {
  const text = query.get(key);
  if (text === null) return null;
  return text.split(',').map((word) => {
    const name = known.find((candidate) => candidate === word);
    if (name !== undefined) return name;
    throw new UsageError(`Unknown ${key} "${word}", expected one of ${known.join(', ')}`);
  });
}
