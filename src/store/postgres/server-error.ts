import { DatabaseError } from 'pg';

import { StoreError } from '../../core/store-aging.ts';

/** Two transactions conflicted: a serialization failure, a deadlock, or a row that the other one has added. */
const MET: readonly string[] = ['40001', '40P01', '23505'];

/**
 * Error codes and their classes, by which a statement failed although nothing is wrong with it:
 * https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
const OF_THE_SERVER = '08 0A 25 28 3D 3F 42501 42P01 53 55 57 58 XX'.split(' ');
const DISK_FULL = '53100';

const hints: Readonly<Record<string, string>> = {
  '25006': 'it is read-only, as a standby is: name the primary in store.postgres.url',
  '28000': 'it refuses the user: check user and password in store.postgres.url',
  '28P01': 'it refuses the user: check user and password in store.postgres.url',
  '3D000': 'it does not exist: create it with "createdb"',
  '42501': 'the user may not do that: make it the owner of the database',
};

/** True if a transaction failed only because of a concurrent one. */
export function hasMetAnother(error: unknown): boolean {
  return error instanceof DatabaseError && error.code !== undefined && MET.includes(error.code);
}

/**
 * True if a newer process has migrated a table since the connection prepared a statement on it. Another connection prepares
 * it anew. By the function that raises it, since the message is translated:
 * https://github.com/postgres/postgres/blob/REL_15_0/src/backend/utils/cache/plancache.c
 */
export function isOutdated(error: unknown): boolean {
  return (
    error instanceof DatabaseError &&
    error.code === '0A000' &&
    error.routine === 'RevalidateCachedQuery'
  );
}

/** An error of a call to the server as a StoreError; unchanged if the statement or its values are at fault. */
export function serverErrorOf(error: unknown, place: string): unknown {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const failed = `Cannot use the database ${place}`;
  // Whatever is not an answer of the server is trouble of the connection to it.
  if (!(error instanceof DatabaseError)) {
    return new StoreError('io', `${failed}: ${reason === '' ? 'no connection' : reason}`, {
      cause: error,
    });
  }
  const code = error.code ?? '';
  if (isOutdated(error) || !OF_THE_SERVER.some((known) => code.startsWith(known))) return error;
  const detail = hints[code] === undefined ? reason : `${hints[code]} (${reason})`;
  return new StoreError(code === DISK_FULL ? 'full' : 'io', `${failed}: ${detail}`, {
    cause: error,
  });
}
