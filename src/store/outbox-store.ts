import type { Delivery } from '../core/delivery.ts';
import type { Session } from '../core/session.ts';
import type { ClaimedDelivery, Outbox, EndedClaim, WholeDelivery } from '../core/outbox.ts';
import { addAwakeTime, ELAPSED_MS } from './clock.ts';
import type { Connection, Query } from './query.ts';
import type { Database } from './database.ts';
import {
  addAttempt,
  readDelivery,
  SELECT_DELIVERIES,
  shiftForClock,
  UNSENT,
} from './deliveries.ts';
import { eventById, eventsById } from './events.ts';
import {
  dueTimes,
  giveUpDeliveries,
  listChannelStates,
  retryNow,
  saveChannelState,
  takeTokens,
} from './queue-store.ts';
import { readInteger, type Row, readText, readTextOrNull, writeFlag } from './row.ts';
import { sessionByKey } from './session-store.ts';

/*
 * A claim marks an attempt in flight: `claimed_until` is set, and `fence`, which grows with each claim, distinguishes it
 * from earlier ones. It ends by a ended, a release or, without either in time, by being abandoned.
 */

export function outboxOn({ isShared, reads, writes, writesBeside, gathers }: Database): Outbox {
  return {
    ...(isShared && { takeTokens: writesBeside(takeTokens) }),
    claim: writesBeside(claimDeliveries),
    recordAttempt: gathers(recordAttempts),
    release: writesBeside(releaseClaim),
    releaseLost: writes(releaseLost),
    recoverClaims: writes(recoverClaims),
    dueTimes: reads(dueTimes),
    giveUp: writes(giveUpDeliveries),
    retryNow: writes(retryNow),
    shiftForClock: writes(shiftForClock),
    addAwakeTime: writesBeside(addAwakeTime),
    channelStates: reads(listChannelStates),
    saveChannelState: writesBeside(saveChannelState),
  };
}

/** Messages that a claim reads before it looks at their size. */
const READ_TOGETHER = 50;

const UNCLAIMED = 'claimed_at = NULL, claimed_until = NULL, cancel_reason = NULL';

/**
 * Claims up to `limit` due deliveries of a channel, in the order of their due time, then of their arrival; of one session
 * up to `perSession`, one behind the other. Where not all fit, the first one of each session comes before the second of any.
 */
function* claimDeliveries(
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
  const sessions = new Map<string, Session | null>();
  let bytes = 0;
  function take(row: Row, whole: WholeDelivery): number {
    bytes += sizeOf(whole);
    claimed.push({ ...whole, fence: readInteger(row, 'fence') + 1 });
    return readInteger(row, 'seq');
  }
  /** In one statement, because each costs as much as several rows. */
  function* markClaimed(seqs: readonly number[]): Query<void> {
    if (seqs.length === 0) return;
    yield* connection.run(
      'UPDATE deliveries SET fence = fence + 1, claimed_at = ?, claimed_until = ? WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))',
      now,
      now + leaseMs,
      JSON.stringify(seqs),
    );
  }
  const hasRoom = (): boolean => maxBytes === undefined || bytes < maxBytes;

  // The caller may still be sending one of those, because the clock was set forward or the machine slept: it continues
  // under the new claim. So none of them may be omitted for lack of room.
  const again: number[] = [];
  for (const row of overdue.toSorted(inOrder)) {
    const unsent = yield* connection.get(
      `${SELECT_DELIVERIES} WHERE id = ? AND ${UNSENT}`,
      readText(row, 'id'),
    );
    if (unsent === null) continue;
    again.push(take(unsent, yield* wholeDelivery(connection, readDelivery(unsent), sessions)));
  }
  yield* markClaimed(again);

  const heads = yield* connection.deliveriesToClaim(
    'is_next = 1 AND channel = ? AND ready_at <= ? ORDER BY ready_at, seq LIMIT ?',
    channel,
    now,
    limit,
  );
  const due = [...heads];
  // A delivery that failed before is claimed alone: later ones may have to wait for it.
  for (const head of heads) {
    if (perSession === 1 || due.length >= limit) break;
    if (readText(head, 'state') !== 'pending') continue;
    const followers = yield* connection.all(
      `${SELECT_DELIVERIES} WHERE channel = ? AND session_key = ? AND turn = 2 AND due_at <= ? AND ${UNSENT} AND held_for IS NULL
        AND seq <> ?
      ORDER BY due_at, seq LIMIT ?`,
      channel,
      readText(head, 'session_key'),
      now,
      readInteger(head, 'seq'),
      Math.min(perSession - 1, limit - due.length),
    );
    due.push(...followers);
  }
  due.sort(inOrder);
  const taken: number[] = [];
  for (let at = 0; at < due.length && hasRoom(); at += READ_TOGETHER) {
    const rows = due.slice(at, at + READ_TOGETHER);
    const wholes = yield* connection.each(rows, {
      keysOf: () => [],
      together: () => (row) => wholeDelivery(connection, readDelivery(row), sessions),
    });
    for (const [index, row] of rows.entries()) {
      const whole = wholes[index];
      if (whole === undefined || !hasRoom()) break;
      taken.push(take(row, whole));
    }
  }
  yield* markClaimed(taken);
  return claimed;
}

function inOrder(a: Row, b: Row): number {
  return (
    readInteger(a, 'due_at') - readInteger(b, 'due_at') ||
    readInteger(a, 'seq') - readInteger(b, 'seq')
  );
}

/** Approximate memory of a delivery's message, bytes. */
function sizeOf({ event, also }: Pick<ClaimedDelivery, 'event' | 'also'>): number {
  return [event, ...also].reduce((sum, { message }) => sum + 1_000 + 2 * (message?.length ?? 0), 0);
}

function* recordAttempts(
  connection: Connection,
  calls: readonly (readonly [EndedClaim])[],
): Query<readonly boolean[]> {
  yield* connection.lockSessionsOf(calls.map(([{ deliveryId }]) => deliveryId));
  return yield* connection.each(calls, {
    keysOf: ([{ deliveryId }]) => [deliveryId],
    together:
      () =>
      ([ended]) =>
        recordAttempt(connection, ended),
  });
}

/** Records how an attempt ended; false, with nothing written, if the claim was lost. */
function* recordAttempt(connection: Connection, ended: EndedClaim): Query<boolean> {
  const { deliveryId, fence, state, attempt, ref = null, carry } = ended;
  // One statement, because it runs for each message: a delivery cancelled meanwhile is still recorded as sent if it was
  // sent.
  const changed = yield* connection.run(
    `UPDATE deliveries SET
      state = CASE WHEN cancel_reason IS NULL OR ?1 = 'sent' THEN ?1 ELSE 'cancelled' END,
      reason = CASE WHEN cancel_reason IS NULL OR ?1 = 'sent' THEN ?2 ELSE cancel_reason END,
      dead_elapsed_ms = CASE WHEN ?1 = 'dead' AND cancel_reason IS NULL THEN ${ELAPSED_MS} END,
      due_at = coalesce(?3, due_at), attempts = ?4, failures = failures + ?5, ref = coalesce(?6, ref),
      carry = CASE WHEN ?7 = 1 THEN ?8 ELSE carry END, possible_duplicate = max(possible_duplicate, ?9), sent_at = ?10, ${UNCLAIMED}
    WHERE id = ?11 AND fence = ?12 AND claimed_until IS NOT NULL`,
    state,
    ended.reason,
    ended.dueAt ?? null,
    attempt.number,
    writeFlag(ended.counts === true),
    ref,
    writeFlag(carry !== undefined),
    carry ?? null,
    writeFlag(ended.possibleDuplicate === true),
    state === 'sent' ? attempt.startedAt + attempt.durationMs : null,
    deliveryId,
    fence,
  );
  if (changed === 0) return false;
  yield* addAttempt(connection, deliveryId, attempt);
  return true;
}

/** Gives up an unused claim. */
function* releaseClaim(connection: Connection, deliveryId: string, fence: number): Query<void> {
  yield* connection.lockSessionsOf([deliveryId]);
  const row = yield* claimedRow(connection, deliveryId, fence);
  if (row === null) return;
  const cancelReason = readTextOrNull(row, 'cancel_reason');
  yield* connection.run(
    `UPDATE deliveries SET state = ?, reason = ?, ${UNCLAIMED} WHERE id = ?`,
    cancelReason === null ? readText(row, 'state') : 'cancelled',
    cancelReason ?? readTextOrNull(row, 'reason'),
    deliveryId,
  );
}

/** Gives up the claims of a channel on deliveries that are not in flight. */
function* releaseLost(
  connection: Connection,
  channel: string,
  underWay: readonly string[],
): Query<void> {
  const rows = yield* connection.all(
    `${SELECT_DELIVERIES} WHERE ${connection.claims.own} AND channel = ?`,
    channel,
  );
  for (const row of rows) {
    const id = readText(row, 'id');
    if (!underWay.includes(id)) yield* releaseClaim(connection, id, readInteger(row, 'fence'));
  }
}

/** Abandons the claims that no process can be using when the daemon starts; returns how many. */
function* recoverClaims(connection: Connection, now: number): Query<number> {
  const left = yield* connection.all(`${SELECT_DELIVERIES} WHERE ${connection.claims.left}`);
  for (const row of left.toSorted(inOrder)) yield* abandonClaim(connection, row, now);
  return left.length;
}

function* claimedRow(connection: Connection, deliveryId: string, fence: number): Query<Row | null> {
  return yield* connection.get(
    `${SELECT_DELIVERIES} WHERE id = ? AND fence = ? AND claimed_until IS NOT NULL`,
    deliveryId,
    fence,
  );
}

/**
 * Only one delivery per session is retried at a time; those claimed after it wait for it, or they would overtake it.
 */
function* stateBehindOthers(connection: Connection, row: Row): Query<'retrying' | 'pending'> {
  const first = yield* connection.get(
    `SELECT seq FROM deliveries WHERE channel = ? AND session_key = ? AND turn = 1 AND ${UNSENT} AND held_for IS NULL LIMIT 1`,
    readText(row, 'channel'),
    readText(row, 'session_key'),
  );
  return first === null ? 'retrying' : 'pending';
}

/** The message may have arrived unnoticed: it counts as an attempt, and the next one as a repeat. */
function* abandonClaim(connection: Connection, row: Row, now: number): Query<void> {
  const delivery = readDelivery(row);
  const cancelReason = readTextOrNull(row, 'cancel_reason');
  const number = delivery.attempts + 1;
  const reason =
    'The attempt was interrupted before its outcome was recorded: the message may have arrived';
  yield* addAttempt(connection, delivery.id, {
    number,
    startedAt: readInteger(row, 'claimed_at'),
    durationMs: 0,
    outcome: 'unknown',
    reason,
  });
  yield* connection.run(
    `UPDATE deliveries SET state = ?, due_at = min(due_at, ?), attempts = ?, reason = ?, possible_duplicate = 1, ${UNCLAIMED} WHERE id = ?`,
    cancelReason === null ? yield* stateBehindOthers(connection, row) : 'cancelled',
    now,
    number,
    cancelReason ?? reason,
    delivery.id,
  );
}

/**
 * A delivery with everything its message needs.
 *
 * @param sessions those already read for other deliveries of the same transaction, by key
 */
export function* wholeDelivery(
  connection: Connection,
  delivery: Delivery,
  sessions = new Map<string, Session | null>(),
): Query<WholeDelivery> {
  const event = yield* eventById(connection, delivery.eventId);
  let session = sessions.get(event.sessionKey);
  if (session === undefined) {
    session = yield* sessionByKey(connection, event.sessionKey);
    sessions.set(event.sessionKey, session);
  }
  return { delivery, event, session, also: yield* eventsById(connection, delivery.alsoCovers) };
}
