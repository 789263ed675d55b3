import type { FollowedHistory, FollowQuery } from '../core/history.ts';
import type { Connection } from './connection.ts';
import { listHistory, readEntry, searchAfter, seqOf } from './history.ts';
import { integer, text } from './row.ts';

/**
 * Events in the order of their arrival, and the place behind them. One read answers both, so that no event falls
 * between a page and the next.
 */
export function followHistory(
  connection: Connection,
  { limit, from, ...filter }: FollowQuery,
): FollowedHistory {
  const newest = newestSeq(connection);
  if (from === 'newest') {
    const entries = listHistory(connection, { ...filter, limit }).toReversed();
    return { entries, cursor: cursorAt(connection, newest) };
  }
  const start = 'event' in from ? seqOf(connection, from.event) : startOf(connection, from.cursor);
  const rows = searchAfter(connection, { ...filter, start: start ?? 0, limit });
  const last = rows.at(-1);
  const end = rows.length === limit && last !== undefined ? integer(last, 'seq') : newest;
  return {
    entries: rows.map((row) => readEntry(connection, row)),
    cursor: cursorAt(connection, end),
  };
}

function newestSeq(connection: Connection): number {
  const row = connection.get('SELECT coalesce(max(seq), 0) AS seq FROM events');
  return row === null ? 0 : integer(row, 'seq');
}

function cursorAt(connection: Connection, seq: number): string {
  const row = connection.get('SELECT id FROM events WHERE seq = ?', seq);
  return `${seq}.${row === null ? '' : text(row, 'id')}`;
}

/**
 * Numbers begin anew when the database was replaced or everything was forgotten. Then all there is comes again: who
 * follows knows what it has seen.
 */
function startOf(connection: Connection, cursor: string): number {
  const dot = cursor.indexOf('.');
  const seq = Number(cursor.slice(0, Math.max(0, dot)));
  if (!Number.isSafeInteger(seq) || seq <= 0) return 0;
  const row = connection.get('SELECT id FROM events WHERE seq = ?', seq);
  if (row !== null) return text(row, 'id') === cursor.slice(dot + 1) ? seq : 0;
  return newestSeq(connection) > seq ? seq : 0;
}
