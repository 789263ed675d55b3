import type { EndedClaim, Outbox } from '../core/outbox.ts';
import { claimDeliveries, recoverClaims, UNCLAIMED } from './claims.ts';
import { addAwakeTime, ELAPSED_MS } from './clock.ts';
import type { Database } from './database.ts';
import { addAttempt, HELD, SELECT_DELIVERIES, shiftForClock } from './deliveries.ts';
import type { Connection, Query } from './query.ts';
import {
  dueTimes,
  giveUpDeliveries,
  listChannelStates,
  retryNow,
  saveChannelState,
  takeTokens,
} from './queue-store.ts';
import { read } from './row.ts';

export function outboxOn({ isShared, alone, reads, writes, writesBeside }: Database): Outbox {
  return {
    ...(isShared && { takeTokens: writesBeside(takeTokens) }),
    claim: writesBeside(claimDeliveries),
    recordAttempt: writesBeside(recordAttempt),
    release: writesBeside(releaseClaim),
    releaseLost: writes(releaseLost),
    recoverClaims: writes(recoverClaims),
    dueTimes: alone(dueTimes),
    giveUp: writes(giveUpDeliveries),
    retryNow: writes(retryNow),
    shiftForClock: writes(shiftForClock),
    addAwakeTime: writesBeside(addAwakeTime),
    channelStates: reads(listChannelStates),
    saveChannelState: writesBeside(saveChannelState),
  };
}

/** Records how an attempt ended; false, with nothing written, if the claim was lost. */
function* recordAttempt(connection: Connection, ended: EndedClaim): Query<boolean> {
  const { deliveryId, fence, state, attempt, ref = null, carry } = ended;
  yield* connection.lockSessionsOf([deliveryId]);
  // One statement, because it runs for each message: a delivery cancelled meanwhile is still recorded as sent if it was
  // sent.
  const changed = yield* connection.run(
    `UPDATE deliveries SET
      state = CASE WHEN cancel_reason IS NULL OR ?1 = 'sent' THEN ?1 ELSE 'cancelled' END,
      reason = CASE WHEN cancel_reason IS NULL OR ?1 = 'sent' THEN ?2 ELSE cancel_reason END,
      dead_elapsed_ms = CASE WHEN ?1 = 'dead' AND cancel_reason IS NULL THEN ${ELAPSED_MS} END,
      held_for = CASE WHEN cancel_reason IS NULL THEN ?13 END,
      due_at = coalesce(?3, due_at), attempts = ?4, failures = failures + ?5, ref = coalesce(?6, ref),
      carry = CASE WHEN ?7 = 1 THEN ?8 ELSE carry END, possible_duplicate = max(possible_duplicate, ?9), sent_at = ?10, ${UNCLAIMED}
    WHERE id = ?11 AND fence = ?12 AND claimed_until IS NOT NULL`,
    state,
    ended.reason,
    ended.dueAt ?? null,
    attempt.number,
    Number(ended.counts === true),
    ref,
    Number(carry !== undefined),
    carry ?? null,
    Number(ended.possibleDuplicate === true),
    state === 'sent' ? attempt.startedAt + attempt.durationMs : null,
    deliveryId,
    fence,
    ended.hidden === undefined ? null : 'hidden',
  );
  if (changed === 0) return false;
  yield* addAttempt(connection, deliveryId, attempt);
  if (ended.hidden === 'next-step') {
    yield* bringNextStep(connection, deliveryId, attempt.startedAt + attempt.durationMs);
  }
  return true;
}

/** The steps after it that are planned for the same time are due now. */
function* bringNextStep(connection: Connection, deliveryId: string, now: number): Query<void> {
  const later = `alert_id = (SELECT alert_id FROM deliveries WHERE id = ?1) AND ${HELD} AND held_for = 'step'
    AND step > (SELECT step FROM deliveries WHERE id = ?1)`;
  const sql = `UPDATE deliveries SET due_at = ?2 WHERE ${later} AND due_at > ?2
      AND step = (SELECT min(step) FROM deliveries WHERE ${later})`;
  yield* connection.run(sql, deliveryId, now);
}

function* releaseClaim(connection: Connection, deliveryId: string, fence: number): Query<void> {
  yield* connection.lockSessionsOf([deliveryId]);
  const sql = `${SELECT_DELIVERIES} WHERE id = ? AND fence = ? AND claimed_until IS NOT NULL`;
  const row = yield* connection.get(sql, deliveryId, fence);
  if (row === null) return;
  const cancelReason = read.textOrNull(row, 'cancel_reason');
  const state = cancelReason === null ? read.text(row, 'state') : 'cancelled';
  const reason = cancelReason ?? read.textOrNull(row, 'reason');
  const update = `UPDATE deliveries SET state = ?, reason = ?, ${UNCLAIMED} WHERE id = ?`;
  yield* connection.run(update, state, reason, deliveryId);
}

/** Gives up the claims of a channel on deliveries that are not in flight. */
function* releaseLost(
  connection: Connection,
  channel: string,
  underWay: readonly string[],
): Query<void> {
  const sql = `${SELECT_DELIVERIES} WHERE ${connection.claims.own} AND channel = ?`;
  const rows = yield* connection.all(sql, channel);
  for (const row of rows) {
    const id = read.text(row, 'id');
    if (!underWay.includes(id)) yield* releaseClaim(connection, id, read.integer(row, 'fence'));
  }
}
