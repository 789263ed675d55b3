import type { Connection, Query } from './query.ts';
import { read, type Row } from './row.ts';

/*
 * Ages that decide what is given up or removed are never differences of wall-clock times: a suspended machine, a wrong
 * year or a clock without a battery would age everything in one step.
 */

/** A forward step of the wall clock up to this may be a machine that was off or asleep, ms. */
const LONGEST_STEP_MS = 36 * 3_600_000;
/** A backward step up to this is a correction, not a jump, ms. */
const CORRECTION_MS = 600_000;

/** The clock's reading in SQL, for columns that remember it. */
export const AWAKE_MS = '(SELECT awake_ms FROM clock WHERE id = 1)';
export const ELAPSED_MS = '(SELECT elapsed_ms FROM clock WHERE id = 1)';

/** Counts time during which a daemon ran and deliveries waited. */
export function* addAwakeTime(connection: Connection, ms: number): Query<void> {
  const sql = 'UPDATE clock SET awake_ms = awake_ms + ? WHERE id = 1';
  yield* connection.run(sql, Math.max(0, Math.round(ms)));
}

/** Counts the time since the last call, by the wall clock. Returns how far the clock jumped, ms; 0 without a jump. */
export function* countElapsedTime(connection: Connection, now: number): Query<number> {
  const before = yield* connection.get('SELECT * FROM clock WHERE id = 1');
  const wallAt = before === null ? null : read.integerOrNull(before, 'wall_at');
  const step = wallAt === null ? 0 : now - wallAt;
  const isJump = step > LONGEST_STEP_MS || step < -CORRECTION_MS;
  const sql = 'UPDATE clock SET elapsed_ms = elapsed_ms + ?, wall_at = ? WHERE id = 1';
  yield* connection.run(sql, isJump ? 0 : Math.max(0, step), now);
  yield* connection.run(
    `INSERT INTO clock_marks SELECT ${ELAPSED_MS}, seq FROM events WHERE seq > 0 ORDER BY seq DESC LIMIT 1
    ON CONFLICT (elapsed_ms) DO UPDATE SET event_seq = max(clock_marks.event_seq, excluded.event_seq)`,
  );
  return isJump ? step : 0;
}

/** The last event that is certainly older than `keepMs`; 0 without one. */
export function* lastEventOlderThan(connection: Connection, keepMs: number): Query<number> {
  const row = yield* markBefore(connection, keepMs);
  return row === null ? 0 : read.integer(row, 'event_seq');
}

export function* forgetMarks(connection: Connection, keepMs: number): Query<void> {
  const row = yield* markBefore(connection, keepMs);
  if (row === null) return;
  const oldest = read.integer(row, 'elapsed_ms');
  yield* connection.run('DELETE FROM clock_marks WHERE elapsed_ms < ?', oldest);
}

function* markBefore(connection: Connection, keepMs: number): Query<Row | null> {
  const sql = `SELECT elapsed_ms, event_seq FROM clock_marks WHERE elapsed_ms < ${ELAPSED_MS} - ?
    ORDER BY elapsed_ms DESC LIMIT 1`;
  return yield* connection.get(sql, keepMs);
}
