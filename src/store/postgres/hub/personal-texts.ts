import { z } from 'zod';

import type { Connection, Query } from '../../query.ts';
import { field, nullable, read, stored, type Value } from '../../row.ts';

/** Stands in texts for a person whose data was erased. */
export const FORGOTTEN = 'a forgotten person';
/** Rows that are examined per transaction, so that others can write in between. */
const BATCH_ROWS = 1_000;
/** Says who did something: here the person's name is replaced too, behind "by". */
const NAMING = ['cancel_reason', 'closed_by', 'decisions', 'reason', 'withdraw_reason'];

/** A table with columns in which the text of someone else may name a person. */
export interface PersonalTable {
  readonly name: string;
  readonly key: string;
  readonly isNumbered: boolean;
  /** Column with the session of a row; null: the table has none. */
  readonly session: string | null;
  readonly texts: readonly string[];
  readonly bytes: readonly string[];
}

/**
 * All tables with such columns, by the catalog, so that a column that is added later counts too. Columns that identify
 * something, and sessions, are left out: others refer to their values.
 */
export function* personalTables(connection: Connection): Query<readonly PersonalTable[]> {
  const rows = yield* connection.all(
    `SELECT class.relname::text AS name, key_column.attname::text AS key,
      CASE WHEN key_column.atttypid = 'bigint'::regtype THEN 1 ELSE 0 END AS is_numbered,
      CASE WHEN class.relname = 'sessions' THEN 'key' ELSE (
        SELECT attname::text FROM pg_attribute WHERE attrelid = class.oid AND attname = 'session_key'
      ) END AS session,
      coalesce(json_agg(texts.attname ORDER BY texts.attnum)
        FILTER (WHERE texts.atttypid = 'text'::regtype), '[]')::text AS texts,
      coalesce(json_agg(texts.attname ORDER BY texts.attnum)
        FILTER (WHERE texts.atttypid = 'bytea'::regtype), '[]')::text AS bytes
    FROM pg_class AS class
    JOIN pg_index AS keys ON keys.indrelid = class.oid AND keys.indisprimary AND keys.indnkeyatts = 1
    JOIN pg_attribute AS key_column ON key_column.attrelid = class.oid AND key_column.attnum = keys.indkey[0]
    JOIN pg_attribute AS texts ON texts.attrelid = class.oid AND texts.attnum > 0 AND NOT texts.attisdropped
    WHERE class.relnamespace = current_schema()::regnamespace AND class.relkind = 'r'
      AND class.relname NOT IN ('audit', 'people', 'machines', 'invitations')
      AND texts.attname <> 'session_key' AND texts.attgenerated = ''
      AND texts.atttypid IN ('text'::regtype, 'bytea'::regtype)
      AND NOT EXISTS (
        SELECT 1 FROM pg_index AS other
        WHERE other.indrelid = class.oid AND other.indisunique AND texts.attnum = ANY (other.indkey)
      )
      AND NOT EXISTS (
        SELECT 1 FROM pg_constraint
        WHERE conrelid = class.oid AND contype = 'f' AND texts.attnum = ANY (conkey)
      )
    GROUP BY class.oid, class.relname, key_column.attname, key_column.atttypid
    ORDER BY class.relname`,
  );
  return rows.map(storedTable.read);
}

const storedTable = stored<PersonalTable>({
  name: field.text,
  key: field.text,
  isNumbered: field.flag,
  session: nullable(field.text),
  texts: field.json(z.array(z.string())),
  bytes: field.json(z.array(z.string())),
});

/**
 * Replaces a person's address in the next rows of a table, and the name where it says who did something. Returns how many
 * rows were changed, and where to continue; null: all rows were examined.
 */
export function* scrubNext(
  connection: Connection,
  table: PersonalTable,
  after: Value,
  { email, name }: { readonly email: string; readonly name: string | null },
): Query<{ readonly changed: number; readonly next: Value }> {
  const { key, session } = table;
  const type = table.isNumbered ? 'bigint' : 'text';
  const from = after ?? (table.isNumbered ? -1 : '');
  const sql = `SELECT max(${key}) AS last FROM (
      SELECT ${key} FROM ${table.name} WHERE ${key} > ?::${type} ORDER BY ${key} LIMIT ${BATCH_ROWS}
    ) AS page`;
  const end = yield* connection.get(sql, from);
  const last = end?.['last'];
  if (typeof last !== 'string' && typeof last !== 'number') return { changed: 0, next: null };
  const { condition, changes } = partsOf(table);
  const values = [
    from,
    last,
    addressPattern(email),
    addressOrName(email, name),
    FORGOTTEN,
    addressAnywhere(email),
    anywhere(email, name),
  ];
  const found = yield* connection.all(
    // Each parameter has a use in both statements.
    `SELECT ${key} AS key, ${session ?? 'NULL'} AS session FROM ${table.name}
    WHERE ${key} > ?1::${type} AND ${key} <= ?2::${type} AND (${condition}) AND ?5::text <> '' AND ?4::text <> '' AND ?7::text <> ''`,
    ...values,
  );
  if (found.length === 0) return { changed: 0, next: last };
  // A transaction that changes a session writes back what it read before, so it must not run at the same time.
  const sessions = found.flatMap((row) =>
    row['session'] === null ? [] : [read.text(row, 'session')],
  );
  if (sessions.length > 0) yield* connection.lockSessions(sessions);
  const changed = yield* connection.run(
    `UPDATE ${table.name} SET ${changes}
    WHERE ${key} > ?1::${type} AND ${key} <= ?2::${type} AND (${condition}) AND ?4::text <> '' AND ?7::text <> ''
      AND ${key} IN (
        SELECT CAST(value AS ${type}) FROM json_array_elements_text(?8::json) AS keys (value)
      )`,
    ...values,
    JSON.stringify(found.map((row) => row['key'])),
  );
  return { changed, next: last };
}

/**
 * Parameters 3, 4 and 5: a pattern of the address, one of the address or the name, and what takes their place. 6 and 7 are
 * patterns that find more, but in a sixth of the time: few rows are left for the other ones.
 */
function partsOf({ texts, bytes }: PersonalTable): {
  readonly condition: string;
  readonly changes: string;
} {
  const columns = [
    ...texts.map((column) => {
      const [pattern, first] = NAMING.includes(column) ? ['?4', '?7'] : ['?3', '?6'];
      return {
        condition: `(${column} ~* ${first}::text AND ${column} ~* ${pattern}::text)`,
        change: `${column} = regexp_replace(${column}, ${pattern}::text, ?5, 'gi')`,
      };
    }),
    // As a text that has every byte: no byte of an address is written in another way there.
    ...bytes.map((column) => ({
      condition: `(encode(${column}, 'escape') ~* ?6::text AND encode(${column}, 'escape') ~* ?3::text)`,
      change: `${column} = decode(regexp_replace(encode(${column}, 'escape'), ?3::text, ?5, 'gi'), 'escape')`,
    })),
  ];
  return {
    condition: columns.map(({ condition }) => condition).join(' OR '),
    changes: columns.map(({ change }) => change).join(', '),
  };
}

/**
 * A regular expression of PostgreSQL: the address, also in JSON and in a URL, but not as a part of a longer address.
 *
 * @example addressPattern('ada@example.com') finds neither "wada@example.com" nor "ada@example.com.au"
 */
export function addressPattern(email: string): string {
  return `(?:(?<![a-z0-9_.+-])|(?<=\\\\[bfnrt])|(?<=\\\\u[0-9a-f]{4})|(?<=%[0-9a-f]{2}))${addressAnywhere(email)}(?![a-z0-9_-]|\\.[a-z0-9])`;
}

function addressOrName(email: string, name: string | null): string {
  const address = addressPattern(email);
  return name === null ? address : `${address}|(?<=\\mby )(?:${namesIn(name)})(?![a-z0-9_])`;
}

/** Without a look at what is around it, which is what takes long. */
function addressAnywhere(email: string): string {
  return escaped(email).replace('\\@', '(?:@|%40)');
}

function anywhere(email: string, name: string | null): string {
  const address = addressAnywhere(email);
  return name === null ? address : `${address}|by (?:${namesIn(name)})`;
}

function namesIn(name: string): string {
  const inJson = JSON.stringify(name).slice(1, -1);
  return [...new Set([name, inJson])].map(escaped).join('|');
}

function escaped(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}\s_]/gu, '\\$&');
}
