import { createHash } from 'node:crypto';

import { StoreError } from '../../core/store-aging.ts';
import type { Driver, OpenDriver } from './driver.ts';
import { readPragma } from './pragmas.ts';
import {
  isEmpty,
  readSchema,
  repairParts,
  type Schema,
  schemaAfter,
  schemaFault,
  schemaVersion,
} from './schema.ts';

/** @throws StoreError `newer` if a newer hookbell wrote the database, which is left unchanged */
export function refuseNewer(driver: Driver, migrations: readonly string[]): void {
  const version = schemaVersion(driver);
  if (version <= migrations.length) return;
  throw new StoreError(
    'newer',
    `Cannot open the database: its schema is ${version}, expected at most ${migrations.length}, so a newer hookbell wrote it`,
  );
}

/**
 * Migrates the schema, after comparing it with that of the migrations. A database rebuilt with `.dump` does not state
 * its version: then its tables determine the version. Missing or foreign indexes and triggers are repaired. Each
 * migration is a transaction with its version, so that a crash leaves it done or undone.
 *
 * @returns the names of the indexes and triggers that were repaired
 * @throws StoreError `damaged` if a table or column is missing or foreign
 */
export function migrate(
  driver: Driver,
  migrations: readonly string[],
  open: OpenDriver,
): readonly string[] {
  if (readPragma(driver, MARK) === markOf(driver, migrations)) return [];
  const { version, schema, isGuessed } = findVersion(driver, migrations, open);
  const repaired = schema === null ? [] : repairParts(driver, schema);
  for (const [index, migration] of [...migrations.entries()].slice(version)) {
    try {
      inTransaction(driver, `${migration}; PRAGMA user_version = ${index + 1}`);
    } catch (error) {
      if (!isGuessed || !(error instanceof Error)) throw error;
      throw new StoreError('damaged', `Unknown schema: ${error.message}`, { cause: error });
    }
  }
  // Without the triggers, counters and the turns of deliveries were not updated.
  if (repaired.length > 0) inTransaction(driver, recount);
  driver.exec(`PRAGMA ${MARK} = ${markOf(driver, migrations)}`);
  return repaired;
}

/** A number in the header of the file that SQLite leaves to the program. */
const MARK = 'application_id';

/**
 * A hash of the schema as it is and of the migrations. Where the file states it, the two were compared before: to build the
 * schema of the migrations again and to compare each column takes a tenth of the daemon's start.
 */
function markOf(driver: Driver, migrations: readonly string[]): string {
  const parts = driver.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all();
  const text = JSON.stringify([schemaVersion(driver), parts, migrations]);
  // Positive, as a signed number of 32 bits.
  return String(createHash('sha256').update(text).digest().readUInt32LE() >>> 1);
}

interface Version {
  readonly version: number;
  readonly schema: Schema | null;
  /** True if the database does not state it. */
  readonly isGuessed: boolean;
}

function findVersion(driver: Driver, migrations: readonly string[], open: OpenDriver): Version {
  const stated = schemaVersion(driver);
  if (stated === 0 && isEmpty(driver)) return { version: 0, schema: null, isGuessed: false };
  const actual = readSchema(driver);
  const all = migrations.map((_migration, index) => migrations.length - index);
  const candidates = stated === 0 ? all : [stated];
  let fault: string | null = null;
  for (const version of candidates) {
    const schema = schemaAfter(version, { migrations, open });
    const found = schemaFault(actual, schema);
    fault ??= found;
    if (found !== null) continue;
    if (version !== stated) driver.exec(`PRAGMA user_version = ${version}`);
    return { version, schema, isGuessed: version !== stated };
  }
  throw new StoreError('damaged', `Unknown schema: ${fault ?? 'unknown'}`);
}

const recount = `
UPDATE deliveries SET is_next = 0 WHERE is_next = 1;
UPDATE deliveries SET due_at = due_at WHERE state IN ('pending', 'retrying') AND held_for IS NULL;
DELETE FROM counters;
INSERT INTO counters SELECT 'event', '', count(*) FROM events;
INSERT INTO counters SELECT 'session', state, count(*) FROM sessions GROUP BY state;
INSERT INTO counters SELECT 'delivery', state, count(*) FROM deliveries GROUP BY state;
`;

function inTransaction(driver: Driver, sql: string): void {
  driver.exec('BEGIN IMMEDIATE');
  try {
    driver.exec(sql);
    driver.exec('COMMIT');
  } catch (error) {
    try {
      driver.exec('ROLLBACK');
    } catch {
      // The error has rolled back already.
    }
    throw error;
  }
}
