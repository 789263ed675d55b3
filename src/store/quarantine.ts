import type { Quarantined } from '../core/store.ts';
import type { Columns } from './columns.ts';
import { upsertInto, valuesOf } from './columns.ts';
import type { Connection } from './connection.ts';
import { integer, text } from './row.ts';

const columns: Columns<Quarantined> = {
  id: (entry) => entry.id,
  at: (entry) => entry.at,
  reason: (entry) => entry.reason,
  detail: (entry) => entry.detail,
  bytes: (entry) => entry.bytes,
};

const upsertQuarantined = upsertInto('quarantine', columns, 'id');

/** The same envelope again, as after a crash, is one entry. */
export function addQuarantined(connection: Connection, entry: Quarantined): void {
  connection.run(upsertQuarantined, ...valuesOf(columns, entry));
}

/** The latest first. */
export function listQuarantined(connection: Connection, limit: number): readonly Quarantined[] {
  return connection
    .all('SELECT * FROM quarantine ORDER BY at DESC, rowid DESC LIMIT ?', limit)
    .map((row) => ({
      id: text(row, 'id'),
      at: integer(row, 'at'),
      reason: text(row, 'reason'),
      detail: text(row, 'detail'),
      bytes: integer(row, 'bytes'),
    }));
}
