/**
 * What may be bound to a parameter. No booleans, which the built-in of Node 22 refuses: 0 and 1 stand for them;
 * numbers are integers below 2^53, because greater ones cannot be read back.
 */
export type Value = string | number | null | Uint8Array;

/** The part of both drivers' API that behaves the same in both. */
export interface Statement {
  run(...values: readonly Value[]): { readonly changes: number | bigint };
  get(...values: readonly Value[]): unknown;
  all(...values: readonly Value[]): readonly unknown[];
}

export interface Driver {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export type OpenDriver = (path: string) => Driver;

/**
 * Loads SQLite: the built-in where this Node has it, else the package with the same API. The package is frozen at the
 * SQLite of today, which is why it comes second.
 */
export async function loadDriver(): Promise<OpenDriver> {
  const builtIn: unknown = process.getBuiltinModule('node:sqlite');
  const { DatabaseSync } = isSqlite(builtIn) ? builtIn : await import('@photostructure/sqlite');
  return (path) => new DatabaseSync(path);
}

function isSqlite(module: unknown): module is { DatabaseSync: new (path: string) => Driver } {
  return (
    typeof module === 'object' &&
    module !== null &&
    'DatabaseSync' in module &&
    typeof module.DatabaseSync === 'function'
  );
}
