import { z } from 'zod';

import type { HookFacts } from '../core/facts.ts';
import type { FileChange } from '../core/hook-event.ts';
import { type JsonObject, parseJson } from '../platform/json.ts';
import type { StepCondition } from '../core/policy.ts';

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

/** A column with JSON of the shape that `isShape` checks. */
export function readJson<Shape>(
  row: Row,
  column: string,
  isShape: (value: unknown) => value is Shape,
): Shape {
  const value = parseJson(readText(row, column));
  return isShape(value) ? value : unreadable(column, 'JSON of its shape');
}

function unreadable(column: string, expected: string): never {
  throw new UnreadableColumnError(`Cannot read column "${column}": expected ${expected}`);
}

/** How a property is stored in a column. */
export interface Field<Property> {
  write(property: Property): Value;
  read(row: Row, column: string): Property;
}

export const asText: Field<string> = { write: (value) => value, read: readText };
export const asInteger: Field<number> = { write: (value) => value, read: readInteger };
/** The built-in driver of Node 22 refuses booleans. */
export const asFlag: Field<boolean> = {
  write: Number,
  read: (row, column) => readInteger(row, column) === 1,
};

export function asWord<const Word extends string>(words: readonly Word[]): Field<Word> {
  return { write: (word) => word, read: (row, column) => readOneOf(row, column, words) };
}

/** @param schema checks the shape; members that it does not name are kept */
export function asJson<Shape>(schema: z.ZodType): Field<Shape> {
  const isShape = (value: unknown): value is Shape => schema.safeParse(value).success;
  return {
    write: (value) => JSON.stringify(value),
    read: (row, column) => readJson(row, column, isShape),
  };
}

export function nullable<Property>(field: Field<Property>): Field<Property | null> {
  return {
    write: (property) => (property === null ? null : field.write(property)),
    read: (row, column) => (row[column] === null ? null : field.read(row, column)),
  };
}

export type Fields<Thing> = { readonly [Name in keyof Thing]: Field<Thing[Name]> };

/** The columns that hold a thing. */
export interface Stored<Thing> {
  readonly columns: readonly string[];
  /** In the order of the columns. */
  readonly valuesOf: (thing: Thing) => readonly Value[];
  readonly read: (row: Row) => Thing;
}

/** Each property has the column of its name: `session_key` for `sessionKey`. */
export function stored<Thing>(fields: Fields<Thing>): Stored<Thing>;
export function stored(fields: Readonly<Record<string, Field<unknown>>>): Stored<JsonObject> {
  const parts = Object.entries(fields).map(([name, field]) => ({
    name,
    column: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    field,
  }));
  return {
    columns: parts.map(({ column }) => column),
    valuesOf: (thing) => parts.map(({ name, field }) => field.write(thing[name])),
    read(row) {
      const thing: Record<string, unknown> = {};
      for (const { name, column, field } of parts) thing[name] = field.read(row, column);
      return thing;
    },
  };
}

/** INSERT with one parameter for each column. */
export function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/** An INSERT that updates the row if `key` exists. */
export function upsertInto(table: string, columns: readonly string[], key: string): string {
  const changes = columns
    .filter((name) => name !== key)
    .map((name) => `${name} = excluded.${name}`);
  return `${insertInto(table, columns)} ON CONFLICT (${key}) DO UPDATE SET ${changes.join(', ')}`;
}

/** The hook's facts, with events and sessions. */
export const facts = asJson<HookFacts>(z.record(z.string(), z.string()));

/** Of a step; the configuration has checked its members. */
export const stepCondition = nullable(asJson<StepCondition>(z.record(z.string(), z.unknown())));

const fileChanges = asJson<readonly FileChange[]>(
  z.array(
    z.object({ path: z.string(), added: z.number().nullable(), removed: z.number().nullable() }),
  ),
);

/** What a turn of a session changed; null for nothing. */
export const changesOrNull: Field<readonly FileChange[]> = {
  write: (changes) => (changes.length === 0 ? null : fileChanges.write(changes)),
  read: (row, column) => (row[column] === null ? [] : fileChanges.read(row, column)),
};
