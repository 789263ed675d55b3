import type { Connection } from './connection.ts';
import { UNSENT } from './deliveries.ts';
import { integerOrNull, text } from './row.ts';

/** No attempt is put off for longer: that is how long a circuit stays open at most, ms. */
const LONGEST_WAIT_MS = 900_000;

/**
 * Answers how many unsent deliveries were moved. Those that are claimed are among them: one that is released unsent would
 * wait until the time of the wrong clock.
 */
export function shiftForClock(connection: Connection, now: number): number {
  // Not behind what was accepted since the clock was set: that came later.
  const first = connection.get(
    `SELECT min(due_at) AS due_at FROM deliveries WHERE ${UNSENT} AND created_at <= ?`,
    now,
  );
  const base = Math.min(now, (first === null ? null : integerOrNull(first, 'due_at')) ?? now);
  const moved = connection.run(
    `UPDATE deliveries SET due_at = ? + iif(held_for IS NULL, 0, due_at - created_at), created_at = ?
    WHERE ${UNSENT} AND created_at > ?`,
    base,
    now,
    now,
  );
  const retried = connection.run(
    `UPDATE deliveries SET due_at = ?
    WHERE state = 'retrying' AND due_at > ?`,
    now,
    now + LONGEST_WAIT_MS,
  );
  // What seems to go out in the future would count as traffic of the last hour until then.
  const channels = connection.all('SELECT channel FROM channel_states');
  for (const row of channels) {
    connection.run(
      'UPDATE deliveries SET released_at = ? WHERE channel = ? AND released_at > ?',
      now,
      text(row, 'channel'),
      now,
    );
  }
  return moved + retried;
}
