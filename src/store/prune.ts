import { sessionStates } from '../core/session.ts';
import type { Store } from '../core/store.ts';
import { LIVE } from './alerts.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';
import { UNSENT } from './deliveries.ts';
import type { Row } from './row.ts';
import { integer } from './row.ts';

type Limits = Parameters<Store['prune']>[0];

/** What one transaction removes at most, so that it holds up nobody for more than some 10 ms. */
const SLICE_ROWS = 50;
const SLICE_PAYLOAD_BYTES = 1024 * 1024;
/** More than the rows above fill, or the file would keep its size. */
const SLICE_VACUUMED_PAGES = 400;
/** What one call removes at most, so that it ends. */
const SLICES = 40;

/**
 * Removes events received before `before`, and the oldest ones while the database is larger than `maxBytes`, with all
 * that hangs on them; answers how many. Others get their turn after each slice.
 */
export async function prune(
  connection: Connection,
  commits: GroupCommit,
  limits: Limits,
): Promise<number> {
  let total = 0;
  for (let slice = 0; slice < SLICES; slice += 1) {
    const removed = await commits.write(() => pruneSlice(connection, limits));
    total += removed;
    if (removed === 0) break;
  }
  return total;
}

function pruneSlice(connection: Connection, { before, maxBytes }: Limits): number {
  let removed = 0;
  let payloadBytes = 0;
  for (const row of oldestFinished(connection)) {
    const isOld = integer(row, 'received_at') < before;
    if (!isOld && usedBytes(connection) <= maxBytes) break;
    if (payloadBytes > SLICE_PAYLOAD_BYTES) break;
    connection.run('DELETE FROM events WHERE seq = ?', integer(row, 'seq'));
    payloadBytes += integer(row, 'payload_bytes');
    removed += 1;
  }
  pruneSessions(connection, before);
  connection.run(
    'DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine WHERE at < ? ORDER BY at LIMIT ?)',
    before,
    SLICE_ROWS,
  );
  connection.run('DELETE FROM mutes WHERE until < ?', before);
  connection.all(`PRAGMA incremental_vacuum(${SLICE_VACUUMED_PAGES})`);
  return removed;
}

/** Finished: all its deliveries have ended, no live alert is about it, and it was relayed where it is to be. */
function oldestFinished(connection: Connection): readonly Row[] {
  return connection.all(
    `SELECT seq, received_at,
      (SELECT length(bytes) FROM payloads WHERE event_seq = events.seq) AS payload_bytes
    FROM events
    WHERE received_at < ?
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id AND ${UNSENT})
      AND NOT EXISTS (SELECT 1 FROM alerts WHERE event_id = events.id AND ${LIVE})
      AND NOT EXISTS (SELECT 1 FROM relay_outbox WHERE event_seq = events.seq)
    ORDER BY received_at, seq LIMIT ?`,
    Number.MAX_SAFE_INTEGER,
    SLICE_ROWS,
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
      SLICE_ROWS,
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
