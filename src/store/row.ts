import { z } from 'zod';

import { type Asked, askedSchema } from '../core/asked.ts';
import type { HookFacts } from '../core/facts.ts';
import type { FileChange } from '../core/hook-event.ts';
import { type LookedUp, lookedUpSchema } from '../core/looked-up.ts';
import { isJsonObject } from '../platform/json.ts';
import type { StepCondition } from '../core/policy.ts';
import type { Schedule, UsageLimit } from '../core/session.ts';

/**
 * Values for parameters. Booleans are 0 and 1, because the built-in driver of Node 22 refuses them; numbers are integers
 * below 2^53, because greater ones cannot be read back.
 */
export type Value = string | number | null | Uint8Array;

/**
 * A value for a parameter: NUL would truncate a text on SQLite and is refused by PostgreSQL.
 *
 * @throws RangeError for a number that could not be read back
 */
export function bindable(value: Value): Value {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '') : value;
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`Cannot store ${value}: expected a whole number below 2^53`);
  }
  return value;
}

/** Texts as a JSON parameter for `json_each(?)`, as the database stores them: its JSON knows neither NUL nor half a character. */
export function jsonTexts(texts: readonly string[]): string {
  return JSON.stringify(texts.map((text) => Buffer.from(text.replaceAll('\0', '')).toString()));
}

/** Behind every other character in the order of texts: a beginning and this one bound the texts with that beginning. */
export const LAST_CHARACTER = '\u{10ffff}';

/** One row from the driver; the readers below turn its columns into typed values. */
export type Row = Readonly<Record<string, unknown>>;

/** Thrown for a value this version cannot have written. */
export class UnreadableColumnError extends TypeError {
  override readonly name = 'UnreadableColumnError';
}

/** @throws UnreadableColumnError, as all readers here; SQLite itself detects damage */
export function readText(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : unreadable(column, 'text');
}

export function readTextOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : readText(row, column);
}

export function readInteger(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' ? value : unreadable(column, 'an integer');
}

export function readIntegerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : readInteger(row, column);
}

export function readFlag(row: Row, column: string): boolean {
  return readInteger(row, column) === 1;
}

export function readFlagOrNull(row: Row, column: string): boolean | null {
  return row[column] === null ? null : readFlag(row, column);
}

export function readBytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  return value instanceof Uint8Array ? value : unreadable(column, 'bytes');
}

export function readOneOf<const Word extends string>(
  row: Row,
  column: string,
  words: readonly Word[],
): Word {
  const value = row[column];
  return words.find((word) => word === value) ?? unreadable(column, `one of ${words.join(', ')}`);
}

export function readOneOfOrNull<const Word extends string>(
  row: Row,
  column: string,
  words: readonly Word[],
): Word | null {
  return row[column] === null ? null : readOneOf(row, column, words);
}

/** A column with JSON of the shape that `isShape` checks. */
export function readJson<Shape>(
  row: Row,
  column: string,
  isShape: (value: unknown) => value is Shape,
): Shape {
  const value = parsed(readText(row, column));
  return isShape(value) ? value : unreadable(column, 'JSON of its shape');
}

function parsed(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

function unreadable(column: string, expected: string): never {
  throw new UnreadableColumnError(`Cannot read column "${column}": expected ${expected}`);
}

/** Maps an object to the columns of a table: each name with its value. */
export type Columns<Thing> = Readonly<Record<string, (thing: Thing) => Value>>;

export function valuesOf<Thing>(columns: Columns<Thing>, thing: Thing): readonly Value[] {
  return Object.values(columns).map((value) => value(thing));
}

/** INSERT with one parameter per column, in the order of `valuesOf`. */
export function insertInto<Thing>(table: string, columns: Columns<Thing>): string {
  const names = Object.keys(columns);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
}

/** An INSERT that updates the row if `key` exists. */
export function upsertInto<Thing>(table: string, columns: Columns<Thing>, key: string): string {
  const others = Object.keys(columns).filter((name) => name !== key);
  const changes = others.map((name) => `${name} = excluded.${name}`);
  return `${insertInto(table, columns)} ON CONFLICT (${key}) DO UPDATE SET ${changes.join(', ')}`;
}

/** SQLite stores booleans as integers. */
export function writeFlag(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

export function writeCondition(condition: StepCondition | null): string | null {
  return condition === null ? null : JSON.stringify(condition);
}

/** The condition of a step stands in the deliveries' column of this name. */
export function readCondition(row: Row): StepCondition | null {
  return row['condition'] === null ? null : readJson(row, 'condition', isCondition);
}

/** The members are those of the configuration, which has checked them. */
function isCondition(value: unknown): value is StepCondition {
  return isJsonObject(value);
}

/** Events store the request a person decides in this column. */
export function readAsked(row: Row): Asked | null {
  return row['asked'] === null ? null : readJson(row, 'asked', isAsked);
}

function isAsked(value: unknown): value is Asked {
  return askedSchema.safeParse(value).success;
}

const changesSchema: z.ZodType<readonly FileChange[]> = z.array(
  z.object({ path: z.string(), added: z.number().nullable(), removed: z.number().nullable() }),
);

/** Sessions store the file changes of their turn in this column. */
export function readChanges(row: Row): readonly FileChange[] {
  return row['changes'] === null ? [] : readJson(row, 'changes', isChanges);
}

function isChanges(value: unknown): value is readonly FileChange[] {
  return changesSchema.safeParse(value).success;
}

const scheduleSchema: z.ZodType<Schedule> = z.object({
  until: z.number().nullable(),
  round: z.number(),
  prompted: z.boolean(),
  prompts: z.array(z.string()),
});

/** Sessions that wake themselves store when in this column. */
export function readSchedule(row: Row): Schedule | null {
  return row['schedule'] === null ? null : readJson(row, 'schedule', isSchedule);
}

function isSchedule(value: unknown): value is Schedule {
  return scheduleSchema.safeParse(value).success;
}

const usageLimitSchema: z.ZodType<UsageLimit> = z.object({
  what: z.string(),
  until: z.number().nullable(),
  since: z.number(),
  eventId: z.string(),
  told: z.boolean(),
});

/** Sessions that a usage limit stopped store it in this column. */
export function readUsageLimit(row: Row): UsageLimit | null {
  return row['usage_limit'] === null ? null : readJson(row, 'usage_limit', isUsageLimit);
}

function isUsageLimit(value: unknown): value is UsageLimit {
  return usageLimitSchema.safeParse(value).success;
}

/** Events and sessions store the hook's facts in this column. */
export function readFacts(row: Row): HookFacts {
  return readJson(row, 'facts', isFacts);
}

function isFacts(value: unknown): value is HookFacts {
  return isJsonObject(value) && Object.values(value).every((fact) => typeof fact === 'string');
}

/**
 * The looked-up details of a session. Also null if another version stored them in another shape: they can be looked up
 * again.
 */
export function readLookedUp(row: Row): LookedUp | null {
  const storedText = readTextOrNull(row, 'looked_up');
  if (storedText === null) return null;
  try {
    return lookedUpSchema.safeParse(JSON.parse(storedText)).data ?? null;
  } catch {
    return null;
  }
}
