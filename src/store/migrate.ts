import { StoreError } from '../core/store-error.ts';
import type { Driver } from './driver.ts';
import { readPragma } from './pragmas.ts';

/** @throws StoreError `newer` when a newer hookbell wrote the database; nothing was changed then */
export function refuseNewer(driver: Driver, migrations: readonly string[]): void {
  const version = schemaVersion(driver);
  if (version <= migrations.length) return;
  throw new StoreError(
    'newer',
    `Cannot open the database: its schema is ${version}, expected at most ${migrations.length}, so a newer hookbell wrote it`,
  );
}

/**
 * Brings the schema up to date. Each migration is a transaction with its version, so that a crash leaves it done or
 * undone.
 */
export function migrate(driver: Driver, migrations: readonly string[]): void {
  const version = schemaVersion(driver);
  for (const [index, migration] of [...migrations.entries()].slice(version)) {
    driver.exec('BEGIN IMMEDIATE');
    try {
      driver.exec(migration);
      driver.exec(`PRAGMA user_version = ${index + 1}`);
      driver.exec('COMMIT');
    } catch (error) {
      rollBack(driver);
      throw error;
    }
  }
}

function schemaVersion(driver: Driver): number {
  return Number(readPragma(driver, 'user_version'));
}

function rollBack(driver: Driver): void {
  try {
    driver.exec('ROLLBACK');
  } catch {
    // The failure has rolled back already.
  }
}
