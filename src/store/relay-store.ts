import type { HookRecord } from '../core/hook-event.ts';
import type { RelayOutbox, RelayOutcome } from '../core/relay.ts';
import { lastEventOlderThan } from './clock.ts';
import type { Connection, Query } from './query.ts';
import type { Database } from './database.ts';
import { addDecision, readEvent } from './events.ts';
import { read } from './row.ts';

export function* addToRelay(connection: Connection, eventId: string): Query<void> {
  const sql = 'INSERT INTO relay_outbox (event_seq) SELECT seq FROM events WHERE id = ?';
  yield* connection.run(sql, eventId);
}

export function relayOutboxOn({ reads, writes }: Database): RelayOutbox {
  return {
    batch: reads(relayBatch),
    complete: writes(completeRelayed),
    giveUp: writes(giveUpRelaying),
    backlog: reads(relayBacklog),
  };
}

/** In order of acceptance; at least one, whatever its size. */
function* relayBatch(
  connection: Connection,
  { limit, maxBytes }: Parameters<RelayOutbox['batch']>[0],
): Query<readonly HookRecord[]> {
  const sql = `SELECT event_seq, (SELECT length(bytes) FROM payloads WHERE event_seq = relay_outbox.event_seq) AS size
    FROM relay_outbox ORDER BY event_seq LIMIT ?`;
  const sizes = yield* connection.all(sql, limit);
  const records: HookRecord[] = [];
  let total = 0;
  for (const row of sizes) {
    total += read.integer(row, 'size');
    if (records.length > 0 && total > maxBytes) break;
    const [found] = yield* connection.all(
      'SELECT events.*, payloads.bytes AS payload FROM events JOIN payloads ON event_seq = seq WHERE seq = ?',
      read.integer(row, 'event_seq'),
    );
    if (found === undefined) continue;
    records.push({ event: readEvent(found), payload: read.bytes(found, 'payload') });
  }
  return records;
}

/** Takes events out of the outbox; a refusal becomes a decision of the event. */
function* completeRelayed(connection: Connection, outcomes: readonly RelayOutcome[]): Query<void> {
  for (const { eventId, refusal } of outcomes) {
    const sql = 'DELETE FROM relay_outbox WHERE event_seq = (SELECT seq FROM events WHERE id = ?)';
    yield* connection.run(sql, eventId);
    if (refusal === null) continue;
    yield* addDecision(connection, eventId, { stage: 'relay', verdict: 'stop', reason: refusal });
  }
}

/** @param keepMs minimum age, ms; unset: any */
function* giveUpRelaying(
  connection: Connection,
  { keepMs, reason }: Parameters<RelayOutbox['giveUp']>[0],
): Query<number> {
  const last =
    keepMs === undefined ? Number.MAX_SAFE_INTEGER : yield* lastEventOlderThan(connection, keepMs);
  const sql =
    'SELECT id FROM relay_outbox CROSS JOIN events ON seq = event_seq WHERE event_seq <= ?';
  const rows = yield* connection.all(sql, last);
  const refused = rows.map((row) => ({ eventId: read.text(row, 'id'), refusal: reason }));
  yield* completeRelayed(connection, refused);
  return rows.length;
}

function* relayBacklog(connection: Connection): Query<Awaited<ReturnType<RelayOutbox['backlog']>>> {
  const row = yield* connection.get(
    `SELECT count(*) AS count,
      (SELECT received_at FROM events WHERE seq = (SELECT min(event_seq) FROM relay_outbox)) AS since
    FROM relay_outbox`,
  );
  return row === null
    ? { count: 0, since: null }
    : { count: read.integer(row, 'count'), since: read.integerOrNull(row, 'since') };
}
