import type { SqliteConnection } from './connection.ts';
import type { Space } from '../upkeep.ts';
import type { Connection, Query } from '../query.ts';
import { readInteger } from '../row.ts';

/** Pages returned to the file system per step; about 0.2 ms. */
const VACUUMED_PAGES = 16;
/** Below both of these, free pages are kept for the next events. */
const SPARE_PAGES = 256;
const SPARE_SHARE = 0.1;

/** The room that a database takes in its file. */
export function fileSpace(sqlite: SqliteConnection): Space {
  return {
    size: sizeOf,
    shrink: vacuum,
    // The file is truncated when the log is moved into it, which may be much later.
    flush: () => sqlite.guarded(() => sqlite.cutLog()),
  };
}

function* sizeOf(connection: Connection): ReturnType<Space['size']> {
  const pageBytes = yield* pragma(connection, 'page_size');
  const pages = yield* pragma(connection, 'page_count');
  const free = yield* pragma(connection, 'freelist_count');
  // More pages are free than the next events will need, in a file that can shrink.
  const hasSpare =
    free > SPARE_PAGES &&
    free > SPARE_SHARE * pages &&
    (yield* pragma(connection, 'auto_vacuum')) !== 0;
  return { bytes: pages * pageBytes, usedBytes: (pages - free) * pageBytes, hasSpare };
}

/** Returns free pages to the file system; the result is their number. */
function* vacuum(connection: Connection): Query<number> {
  const before = yield* pragma(connection, 'page_count');
  yield* connection.all(`PRAGMA incremental_vacuum(${VACUUMED_PAGES})`);
  return before - (yield* pragma(connection, 'page_count'));
}

function* pragma(connection: Connection, name: string): Query<number> {
  const row = yield* connection.get(`PRAGMA ${name}`);
  return row === null ? 0 : readInteger(row, name);
}
