import { copyFile, open, rename, rm } from 'node:fs/promises';

import type { Paths } from '../../core/paths.ts';
import { ownVersion } from '../../platform/program-files.ts';
import { NEWEST_SCHEMA, savedDatabase } from '../../core/store-aging.ts';
import { errorCode, FailedError } from '../../platform/errors.ts';

/** Where a database file states its version: https://www.sqlite.org/fileformat.html#the_database_header */
const HEADER_BYTES = 100;
const VERSION_AT = 60;
const MAGIC = 'SQLite format 3\0';

/** The files that a database consists of. */
const COMPANIONS = ['', '-wal', '-shm', '-journal'];

/** The number of migrations that a database file states; null if it cannot be read. The file may be in use. */
async function databaseSchema(path: string): Promise<number | null> {
  try {
    await using file = await open(path, 'r');
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await file.read(header, 0, HEADER_BYTES, 0);
    const isDatabase = bytesRead === HEADER_BYTES && header.toString('latin1', 0, 16) === MAGIC;
    return isDatabase ? header.readUInt32BE(VERSION_AT) : null;
  } catch {
    return null;
  }
}

interface Place extends Pick<Paths, 'database'> {
  /** The newest schema that the program knows; default: this program's. */
  readonly newest?: number;
}

/** @throws FailedError if a newer hookbell migrated the database; its hint leads back to a copy */
export async function refuseNewerDatabase({
  database,
  newest = NEWEST_SCHEMA,
}: Place): Promise<void> {
  const schema = await databaseSchema(database);
  if (schema === null || schema <= newest) return;
  const copy = await usableCopy(database, newest);
  const goBack =
    copy === null
      ? 'There is no copy of the database from before the upgrade'
      : 'Or go back to the copy from before the upgrade, without the events since then: "hookbell install --restore-database", run with this version';
  throw new FailedError(
    `Cannot use the database "${database}": a newer hookbell wrote it (its schema is ${schema}, and hookbell ${ownVersion()} knows ${newest} at most)`,
    { hint: `Install the newer version again. ${goBack}` },
  );
}

/**
 * Replaces the database of a newer hookbell with the copy that its upgrade made. The newer one is kept as
 * "hookbell.db.newer". Call it while no daemon runs.
 *
 * @returns the path of the copy; null if this program can use the database as it is
 * @throws FailedError without a copy that this program can use
 */
export async function restoreDatabase({
  database,
  newest = NEWEST_SCHEMA,
}: Place): Promise<string | null> {
  const schema = await databaseSchema(database);
  if (schema === null || schema <= newest) return null;
  const copy = await usableCopy(database, newest);
  if (copy === null) {
    throw new FailedError(
      `Cannot restore the database "${database}": no copy with schema ${newest} or less is beside it`,
      { hint: 'A copy is kept for two weeks after an upgrade' },
    );
  }
  const fresh = `${database}.restored`;
  await copyFile(copy, fresh);
  for (const companion of COMPANIONS) {
    await rm(`${database}.newer${companion}`, { force: true });
    await rename(database + companion, `${database}.newer${companion}`).catch((error) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }
  await rename(fresh, database);
  return copy;
}

/** The copy with the newest schema that this program knows. */
async function usableCopy(database: string, newest: number): Promise<string | null> {
  for (let schema = newest; schema > 0; schema -= 1) {
    const copy = savedDatabase(database, schema);
    if ((await databaseSchema(copy)) === schema) return copy;
  }
  return null;
}
