import type { Value } from './driver.ts';

/** How a table's columns are made from a thing: each name stands once, beside its value. */
export type Columns<Thing> = Readonly<Record<string, (thing: Thing) => Value>>;

export function valuesOf<Thing>(columns: Columns<Thing>, thing: Thing): readonly Value[] {
  return Object.values(columns).map((value) => value(thing));
}

/** INSERT with one parameter a column, in the order of `valuesOf`. */
export function insertInto<Thing>(table: string, columns: Columns<Thing>): string {
  const names = Object.keys(columns);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
}

/** The same, changing the row where `key` exists already. */
export function upsertInto<Thing>(table: string, columns: Columns<Thing>, key: string): string {
  const others = Object.keys(columns).filter((name) => name !== key);
  const changes = others.map((name) => `${name} = excluded.${name}`);
  return `${insertInto(table, columns)} ON CONFLICT (${key}) DO UPDATE SET ${changes.join(', ')}`;
}
