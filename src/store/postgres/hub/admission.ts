import type { HubClaim, HubVerdict } from '../../../core/hub/hub-store.ts';
import { CLOCK_WINDOW_MS } from '../../../core/relay.ts';
import type { Connection, Query } from '../../query.ts';
import { read } from '../../row.ts';

/** Interval for recording when a machine last sent something, ms. */
const HEARD_MS = 60_000;

/** The clock of the database, Unix ms: those of the hub's hosts may differ. */
export const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Decides on a request in one statement, which needs no transaction around it: of two with the same nonce, one is admitted. */
export function* admit(
  connection: Connection,
  { machine, key, nonce, time }: HubClaim,
): Query<HubVerdict> {
  const sql = `WITH clock AS MATERIALIZED (SELECT ${CLOCK} AS at),
    known AS MATERIALIZED (
      SELECT machines.name, person FROM machines JOIN people ON email = person
      WHERE machines.name = ?1 AND machines.key = ?2 AND revoked_at IS NULL AND removed_at IS NULL
    ),
    used AS (
      INSERT INTO nonces (machine, nonce, used_at)
      SELECT name, ?3, at FROM known, clock WHERE abs(?4::bigint - at) <= ?5::bigint
      ON CONFLICT DO NOTHING RETURNING machine
    ),
    heard AS (
      UPDATE machines SET heard_at = at FROM clock WHERE name IN (
        SELECT name FROM machines JOIN used ON used.machine = name
        WHERE heard_at IS NULL OR heard_at < (SELECT at FROM clock) - ${HEARD_MS}
        FOR UPDATE OF machines SKIP LOCKED
      )
    )
    SELECT at, person, used.machine IS NOT NULL AS is_used FROM clock
    LEFT JOIN known ON true LEFT JOIN used ON true`;
  const row = yield* connection.get(sql, machine, key, nonce, time, CLOCK_WINDOW_MS);
  if (row === null) throw new Error('The database did not decide on a request');
  const person = read.textOrNull(row, 'person');
  const now = read.integer(row, 'at');
  if (person === null) return { type: 'unknown' };
  if (Math.abs(time - now) > CLOCK_WINDOW_MS) return { type: 'clock', now };
  return read.integer(row, 'is_used') === 1 ? { type: 'admitted', person } : { type: 'replay' };
}

/** A request is valid for as long as its time is within the window, before as well as after the clock. */
export function forgetNonces(connection: Connection): Query<number> {
  const sql = `DELETE FROM nonces WHERE used_at < ${CLOCK} - ?::bigint`;
  return connection.run(sql, 2 * CLOCK_WINDOW_MS + HEARD_MS);
}

/** Writes a row, which a standby and a disk with errors refuse, and removes those of processes that are gone. */
export function* ping(connection: Connection): Query<void> {
  yield* connection.run(
    `WITH gone AS (DELETE FROM heartbeats WHERE at < now() - interval '1 day')
    INSERT INTO heartbeats (process, at) VALUES (current_setting('application_name'), now())
    ON CONFLICT (process) DO UPDATE SET at = excluded.at`,
  );
}
