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

/** Readers of a column; SQLite itself detects damage. @throws UnreadableColumnError */
export const read = {
  text(row: Row, column: string): string {
    const value = row[column];
    return typeof value === 'string' ? value : unreadable(column, 'text');
  },
  textOrNull: (row: Row, column: string) => (row[column] === null ? null : read.text(row, column)),
  integer(row: Row, column: string): number {
    const value = row[column];
    return typeof value === 'number' ? value : unreadable(column, 'an integer');
  },
  integerOrNull: (row: Row, column: string) =>
    row[column] === null ? null : read.integer(row, column),
  bytes(row: Row, column: string): Uint8Array {
    const value = row[column];
    return value instanceof Uint8Array ? value : unreadable(column, 'bytes');
  },
  oneOf<const Word extends string>(row: Row, column: string, words: readonly Word[]): Word {
    const value = row[column];
    return words.find((word) => word === value) ?? unreadable(column, `one of ${words.join(', ')}`);
  },
};

function unreadable(column: string, expected: string): never {
  throw new UnreadableColumnError(`Cannot read column "${column}": expected ${expected}`);
}

/** How a property is stored in a column. */
export interface Field<Property> {
  write(property: Property): Value;
  read(row: Row, column: string): Property;
}

export const field = {
  text: {
    write: (value: string) => value,
    read: (row: Row, column: string) => read.text(row, column),
  },
  integer: {
    write: (value: number) => value,
    read: (row: Row, column: string) => read.integer(row, column),
  },
  /** The built-in driver of Node 22 refuses booleans. */
  flag: {
    write: (value: boolean) => Number(value),
    read: (row: Row, column: string) => read.integer(row, column) === 1,
  },
  word: <const Word extends string>(words: readonly Word[]): Field<Word> => ({
    write: (word) => word,
    read: (row, column) => read.oneOf(row, column, words),
  }),
  /** @param schema checks the shape; members that it does not name are kept */
  json<Shape>(schema: z.ZodType): Field<Shape> {
    const isShape = (value: unknown): value is Shape => schema.safeParse(value).success;
    return {
      write: (value) => JSON.stringify(value),
      read(row, column) {
        const value = parseJson(read.text(row, column));
        return isShape(value) ? value : unreadable(column, 'JSON of its shape');
      },
    };
  },
};

export function nullable<Property>(of: Field<Property>): Field<Property | null> {
  return {
    write: (property) => (property === null ? null : of.write(property)),
    read: (row, column) => (row[column] === null ? null : of.read(row, column)),
  };
}

export type Fields<Thing> = { readonly [Name in keyof Thing]: Field<Thing[Name]> };

export interface Stored<Thing> {
  readonly columns: readonly string[];
  /** In the order of the columns. */
  readonly valuesOf: (thing: Thing) => readonly Value[];
  readonly read: (row: Row) => Thing;
}

/** Each property has the column of its name: `session_key` for `sessionKey`. */
export function stored<Thing>(fields: Fields<Thing>): Stored<Thing>;
export function stored(fields: Readonly<Record<string, Field<unknown>>>): Stored<JsonObject> {
  const parts = Object.entries(fields).map(([name, how]) => ({
    name,
    column: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    how,
  }));
  return {
    columns: parts.map(({ column }) => column),
    valuesOf: (thing) => parts.map(({ name, how }) => how.write(thing[name])),
    read(row) {
      const thing: Record<string, unknown> = {};
      for (const { name, column, how } of parts) thing[name] = how.read(row, column);
      return thing;
    },
  };
}

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

export const facts = field.json<HookFacts>(z.record(z.string(), z.string()));

/** Of a step; the configuration has checked its members. */
export const stepCondition = nullable(field.json<StepCondition>(z.record(z.string(), z.unknown())));

const fileChanges = field.json<readonly FileChange[]>(
  z.array(
    z.object({ path: z.string(), added: z.number().nullable(), removed: z.number().nullable() }),
  ),
);

/** What a turn of a session changed; null for nothing. */
export const changesOrNull: Field<readonly FileChange[]> = {
  write: (changes) => (changes.length === 0 ? null : fileChanges.write(changes)),
  read: (row, column) => (row[column] === null ? [] : fileChanges.read(row, column)),
};
