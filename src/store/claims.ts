import type { Delivery } from '../core/delivery.ts';
import type { ClaimedDelivery, Outbox, WholeDelivery } from '../core/outbox.ts';
import { addAttempt, readDelivery, SELECT_DELIVERIES, UNSENT } from './deliveries.ts';
import { eventById, eventsById } from './events.ts';
import type { Connection, Query } from './query.ts';
import { jsonTexts, read, type Row } from './row.ts';
import { sessionByKey } from './session-store.ts';

/*
 * A claim marks an attempt in flight: `claimed_until` is set, and `fence`, which grows with each claim, distinguishes it
 * from earlier ones. It ends when the attempt is recorded, released or, without either in time, abandoned.
 */

export const UNCLAIMED = 'claimed_at = NULL, claimed_until = NULL, cancel_reason = NULL';

/**
 * Claims up to `limit` due deliveries of a channel, in the order of their due time, then of their arrival; of one session
 * up to `perSession`, one behind the other. Where not all fit, the first one of each session comes before the second of any.
 */
export function* claimDeliveries(
  connection: Connection,
  { channel, now, leaseMs, limit, perSession = 1, maxBytes }: Parameters<Outbox['claim']>[0],
): Query<readonly ClaimedDelivery[]> {
  const overdue = yield* connection.deliveriesToClaim(
    'claimed_until <= ? AND channel = ?',
    now,
    channel,
  );
  for (const row of overdue.toSorted(inOrder)) yield* abandonClaim(connection, row, now);

  const claimed: ClaimedDelivery[] = [];
  let bytes = 0;
  function take(row: Row, whole: WholeDelivery): number {
    bytes += sizeOf(whole);
    claimed.push({ ...whole, fence: read.integer(row, 'fence') + 1 });
    return read.integer(row, 'seq');
  }
  /** In one statement, because each costs as much as several rows. */
  function* markClaimed(seqs: readonly number[]): Query<void> {
    if (seqs.length === 0) return;
    const sql =
      'UPDATE deliveries SET fence = fence + 1, claimed_at = ?, claimed_until = ? WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))';
    yield* connection.run(sql, now, now + leaseMs, JSON.stringify(seqs));
  }
  const hasRoom = (): boolean => maxBytes === undefined || bytes < maxBytes;

  // The caller may still be sending one of those, because the clock was set forward or the machine slept: it continues
  // under the new claim. So none of them may be omitted for lack of room.
  const again: number[] = [];
  for (const row of overdue.toSorted(inOrder)) {
    const byId = `${SELECT_DELIVERIES} WHERE id = ? AND ${UNSENT}`;
    const unsent = yield* connection.get(byId, read.text(row, 'id'));
    if (unsent === null) continue;
    again.push(take(unsent, yield* wholeDelivery(connection, readDelivery(unsent))));
  }
  yield* markClaimed(again);

  // None that is still claimed: another process kept an overdue one from being abandoned a moment ago.
  const heads = yield* connection.deliveriesToClaim(
    'is_next = 1 AND channel = ? AND ready_at <= ? AND claimed_until IS NULL ORDER BY ready_at, seq LIMIT ?',
    channel,
    now,
    limit,
  );
  const due = [...heads];
  // A delivery that failed before is claimed alone: later ones may have to wait for it.
  const leaders =
    perSession === 1 ? [] : heads.filter((head) => read.text(head, 'state') === 'pending');
  for (const head of yield* withFollowers(connection, leaders, { channel, now })) {
    if (due.length >= limit) break;
    const behind = `${SELECT_DELIVERIES} WHERE ${FOLLOWERS} AND session_key = ? AND seq <> ? ORDER BY due_at, seq LIMIT ?`;
    const [key, seq] = [read.text(head, 'session_key'), read.integer(head, 'seq')];
    const most = Math.min(perSession - 1, limit - due.length);
    due.push(...(yield* connection.all(behind, channel, now, key, seq, most)));
  }
  const taken: number[] = [];
  for (const row of due.toSorted(inOrder)) {
    if (!hasRoom()) break;
    taken.push(take(row, yield* wholeDelivery(connection, readDelivery(row))));
  }
  yield* markClaimed(taken);
  return claimed;
}

const FOLLOWERS = `channel = ? AND turn = 2 AND due_at <= ? AND ${UNSENT} AND held_for IS NULL`;

/** The claimed deliveries whose sessions have more that is due, in one statement for all: most have none. */
function* withFollowers(
  connection: Connection,
  heads: readonly Row[],
  { channel, now }: { readonly channel: string; readonly now: number },
): Query<readonly Row[]> {
  if (heads.length === 0) return [];
  const rows = yield* connection.all(
    `SELECT value AS key FROM json_each(?) WHERE EXISTS (
      SELECT 1 FROM deliveries WHERE ${FOLLOWERS} AND session_key = value LIMIT 1 OFFSET 0
    )`,
    jsonTexts(heads.map((head) => read.text(head, 'session_key'))),
    channel,
    now,
  );
  const keys = new Set(rows.map((row) => read.text(row, 'key')));
  return heads.filter((head) => keys.has(read.text(head, 'session_key')));
}

function inOrder(a: Row, b: Row): number {
  return (
    read.integer(a, 'due_at') - read.integer(b, 'due_at') ||
    read.integer(a, 'seq') - read.integer(b, 'seq')
  );
}

/** Approximate memory of a delivery's message, bytes. */
function sizeOf({ event, also }: Pick<ClaimedDelivery, 'event' | 'also'>): number {
  return [event, ...also].reduce((sum, { message }) => sum + 1_000 + 2 * (message?.length ?? 0), 0);
}

/** Abandons the claims that no process can be using when the daemon starts; returns how many. */
export function* recoverClaims(connection: Connection, now: number): Query<number> {
  const left = yield* connection.all(`${SELECT_DELIVERIES} WHERE ${connection.claims.left}`);
  for (const row of left.toSorted(inOrder)) yield* abandonClaim(connection, row, now);
  return left.length;
}

/** Only one delivery per session is retried at a time, or those claimed after it would overtake it. */
function* stateBehindOthers(connection: Connection, row: Row): Query<'retrying' | 'pending'> {
  const first = yield* connection.get(
    `SELECT seq FROM deliveries WHERE channel = ? AND session_key = ? AND turn = 1 AND ${UNSENT} AND held_for IS NULL LIMIT 1`,
    read.text(row, 'channel'),
    read.text(row, 'session_key'),
  );
  return first === null ? 'retrying' : 'pending';
}

/** The message may have arrived unnoticed: it counts as an attempt, and the next one as a repeat. */
function* abandonClaim(connection: Connection, row: Row, now: number): Query<void> {
  const delivery = readDelivery(row);
  const cancelReason = read.textOrNull(row, 'cancel_reason');
  const number = delivery.attempts + 1;
  const reason =
    'The attempt was interrupted before its outcome was recorded: the message may have arrived';
  const startedAt = read.integer(row, 'claimed_at');
  const attempt = { number, startedAt, durationMs: 0, outcome: 'unknown', reason } as const;
  yield* addAttempt(connection, delivery.id, attempt);
  const state = cancelReason === null ? yield* stateBehindOthers(connection, row) : 'cancelled';
  const sql = `UPDATE deliveries SET state = ?, due_at = min(due_at, ?), attempts = ?, reason = ?, possible_duplicate = 1, ${UNCLAIMED} WHERE id = ?`;
  yield* connection.run(sql, state, now, number, cancelReason ?? reason, delivery.id);
}

export function* wholeDelivery(connection: Connection, delivery: Delivery): Query<WholeDelivery> {
  const event = yield* eventById(connection, delivery.eventId);
  const session = yield* sessionByKey(connection, event.sessionKey);
  return { delivery, event, session, also: yield* eventsById(connection, delivery.alsoCovers) };
}
