import type { Quarantined, QuarantineStore } from '../core/store-aging.ts';
import type { Connection, Query } from './query.ts';
import type { Database } from './database.ts';
import { type Columns, readInteger, readText, upsertInto, valuesOf } from './row.ts';

const columns: Columns<Quarantined> = {
  id: (entry) => entry.id,
  at: (entry) => entry.at,
  reason: (entry) => entry.reason,
  detail: (entry) => entry.detail,
  bytes: (entry) => entry.bytes,
};

const upsertQuarantined = upsertInto('quarantine', columns, 'id');

export function quarantineStoreOn({ reads, writes }: Database): QuarantineStore {
  return { add: writes(addQuarantined), list: reads(listQuarantined) };
}

/** The same envelope received again, as after a crash, is one entry. */
function* addQuarantined(connection: Connection, entry: Quarantined): Query<void> {
  yield* connection.run(upsertQuarantined, ...valuesOf(columns, entry));
}

/** The latest first. */
function* listQuarantined(connection: Connection, limit: number): Query<readonly Quarantined[]> {
  return (yield* connection.all(
    'SELECT * FROM quarantine ORDER BY at DESC, rowid DESC LIMIT ?',
    limit,
  )).map((row) => ({
    id: readText(row, 'id'),
    at: readInteger(row, 'at'),
    reason: readText(row, 'reason'),
    detail: readText(row, 'detail'),
    bytes: readInteger(row, 'bytes'),
  }));
}
