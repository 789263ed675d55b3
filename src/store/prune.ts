import { sessionStates } from '../core/session.ts';
import type { Store } from '../core/store.ts';
import { LIVE } from './alerts.ts';
import type { Connection } from './connection.ts';
import { UNSENT } from './deliveries.ts';
import type { Row } from './row.ts';
import { integer } from './row.ts';

/** What one call removes at most, so that it holds up nobody for more than some 10 ms. */
const ROWS_A_CALL = 100;
const PAYLOAD_BYTES_A_CALL = 4 * 1024 * 1024;
const FREED_PAGES_A_CALL = 1000;

/**
 * Removes some of the events that are older than `before`, or the oldest ones while the database is larger than
 * `maxBytes`, with all that hangs on them; answers how many. To be called again until it answers 0.
 */
export function pruneRows(
  connection: Connection,
  { before, maxBytes }: Parameters<Store['prune']>[0],
): number {
  let removed = 0;
  let payloadBytes = 0;
  for (const row of oldestFinished(connection)) {
    const isOld = integer(row, 'received_at') < before;
    if (!isOld && usedBytes(connection) <= maxBytes) break;
    if (payloadBytes > PAYLOAD_BYTES_A_CALL) break;
    connection.run('DELETE FROM events WHERE seq = ?', integer(row, 'seq'));
    payloadBytes += integer(row, 'payload_bytes');
    removed += 1;
  }
  pruneSessions(connection, before);
  connection.run(
    'DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine WHERE at < ? ORDER BY at LIMIT ?)',
    before,
    ROWS_A_CALL,
  );
  connection.all(`PRAGMA incremental_vacuum(${FREED_PAGES_A_CALL})`);
  return removed;
}

/** Finished: all its deliveries have ended, and no live alert is about it. */
function oldestFinished(connection: Connection): readonly Row[] {
  return connection.all(
    `SELECT seq, received_at,
      (SELECT length(bytes) FROM payloads WHERE event_seq = events.seq) AS payload_bytes
    FROM events
    WHERE received_at < ?
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id AND ${UNSENT})
      AND NOT EXISTS (SELECT 1 FROM alerts WHERE event_id = events.id AND ${LIVE})
    ORDER BY received_at, seq LIMIT ?`,
    Number.MAX_SAFE_INTEGER,
    ROWS_A_CALL,
  );
}

/** Not only ended ones: some agents never say that a session has ended. */
function pruneSessions(connection: Connection, before: number): void {
  for (const state of sessionStates) {
    connection.run(
      `DELETE FROM sessions WHERE key IN (
        SELECT key FROM sessions
        WHERE state = ? AND last_event_at < ?
          AND NOT EXISTS (SELECT 1 FROM alerts WHERE session_key = sessions.key AND ${LIVE})
        ORDER BY last_event_at LIMIT ?)`,
      state,
      before,
      ROWS_A_CALL,
    );
  }
}

/** Bytes of the file that hold something; the rest is given back to the file system bit by bit. */
function usedBytes(connection: Connection): number {
  const pragma = (name: string): number => {
    const row = connection.get(`PRAGMA ${name}`);
    return row === null ? 0 : integer(row, name);
  };
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
}
