import type { HookRecord } from '../core/hook-event.ts';
import type { RelayOutbox, RelayOutcome } from '../core/relay.ts';
import { lastEventOlderThan } from './clock.ts';
import type { Connection, Query } from './query.ts';
import type { Database } from './database.ts';
import { addDecision, readEvent } from './events.ts';
import { readBytes, readInteger, readIntegerOrNull, type Row, readText } from './row.ts';

/** Queues the event for the relay. */
export function* addToRelay(connection: Connection, eventId: string): Query<void> {
  yield* connection.run(
    'INSERT INTO relay_outbox (event_seq) SELECT seq FROM events WHERE id = ?',
    eventId,
  );
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
  { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
): Query<readonly HookRecord[]> {
  const sizes = yield* connection.all(
    `SELECT event_seq, (SELECT length(bytes) FROM payloads WHERE event_seq = relay_outbox.event_seq) AS size
    FROM relay_outbox ORDER BY event_seq LIMIT ?`,
    limit,
  );
  const records: HookRecord[] = [];
  let total = 0;
  for (const row of sizes) {
    total += readInteger(row, 'size');
    if (records.length > 0 && total > maxBytes) break;
    records.push(...(yield* recordOf(connection, readInteger(row, 'event_seq'))));
  }
  return records;
}

function* recordOf(connection: Connection, seq: number): Query<readonly HookRecord[]> {
  return (yield* connection.all(
    'SELECT events.*, payloads.bytes AS payload FROM events JOIN payloads ON event_seq = seq WHERE seq = ?',
    seq,
  )).map((row: Row) => ({ event: readEvent(row), payload: readBytes(row, 'payload') }));
}

/** Takes events out of the outbox; a refusal becomes a decision of the event. */
function* completeRelayed(connection: Connection, outcomes: readonly RelayOutcome[]): Query<void> {
  for (const { eventId, refusal } of outcomes) {
    yield* connection.run(
      'DELETE FROM relay_outbox WHERE event_seq = (SELECT seq FROM events WHERE id = ?)',
      eventId,
    );
    if (refusal === null) continue;
    yield* addDecision(connection, eventId, { stage: 'relay', verdict: 'stop', reason: refusal });
  }
}

/** @param keepMs minimum age, ms; unset: any */
function* giveUpRelaying(
  connection: Connection,
  { keepMs, reason }: { readonly keepMs?: number; readonly reason: string },
): Query<number> {
  const last =
    keepMs === undefined ? Number.MAX_SAFE_INTEGER : yield* lastEventOlderThan(connection, keepMs);
  const rows = yield* connection.all(
    'SELECT id FROM relay_outbox CROSS JOIN events ON seq = event_seq WHERE event_seq <= ?',
    last,
  );
  yield* completeRelayed(
    connection,
    rows.map((row) => ({ eventId: readText(row, 'id'), refusal: reason })),
  );
  return rows.length;
}

function* relayBacklog(connection: Connection): Query<{
  readonly count: number;
  readonly since: number | null;
}> {
  const row = yield* connection.get(
    `SELECT count(*) AS count,
      (SELECT received_at FROM events WHERE seq = (SELECT min(event_seq) FROM relay_outbox)) AS since
    FROM relay_outbox`,
  );
  return row === null
    ? { count: 0, since: null }
    : { count: readInteger(row, 'count'), since: readIntegerOrNull(row, 'since') };
}
