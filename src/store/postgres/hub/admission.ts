import type { HubClaim, HubVerdict } from '../../../core/hub/hub-store.ts';
import { CLOCK_WINDOW_MS } from '../../../core/relay.ts';
import type { Connection, Query } from '../../query.ts';
import { readInteger, readTextOrNull, type Row } from '../../row.ts';

/** Interval for recording when a machine last sent something, ms. */
const HEARD_MS = 60_000;

/** The clock of the database, Unix ms: those of the hub's hosts may differ. */
export const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Decides on requests in one statement, which needs no transaction around it. Of two requests with the same nonce,
 * at most the first is admitted.
 */
export function* admitAll(
  connection: Connection,
  claims: readonly HubClaim[],
): Query<readonly HubVerdict[]> {
  const firsts = new Map<string, number>();
  for (const [place, { machine, nonce }] of claims.entries()) {
    const name = `${machine} ${nonce}`;
    if (!firsts.has(name)) firsts.set(name, place);
  }
  const isFirst = (place: number, { machine, nonce }: HubClaim): boolean =>
    firsts.get(`${machine} ${nonce}`) === place;
  // Sorted, so that two of these never deadlock.
  const asked = claims
    .map((claim, place) => ({ place, ...claim }))
    .filter(({ place, ...claim }) => isFirst(place, claim))
    .toSorted((a, b) => (a.machine + a.nonce < b.machine + b.nonce ? -1 : 1));
  const rows = yield* connection.all(
    `WITH clock AS MATERIALIZED (SELECT ${CLOCK} AS at),
    claims AS MATERIALIZED (
      SELECT * FROM json_to_recordset(?1::json)
        AS claim (place bigint, machine text, key text, nonce text, time bigint)
    ),
    known AS MATERIALIZED (
      SELECT place, machines.name, person, nonce, time FROM claims
      JOIN machines ON machines.name = machine AND machines.key = claims.key
      JOIN people ON email = person
      WHERE revoked_at IS NULL AND removed_at IS NULL
    ),
    used AS (
      INSERT INTO nonces (machine, nonce, used_at)
      SELECT name, nonce, at FROM known, clock WHERE abs(time - at) <= ?2::bigint ORDER BY name, nonce
      ON CONFLICT DO NOTHING RETURNING machine, nonce
    ),
    heard AS (
      UPDATE machines SET heard_at = at FROM clock WHERE name IN (
        SELECT name FROM machines JOIN used ON used.machine = name
        WHERE heard_at IS NULL OR heard_at < (SELECT at FROM clock) - ${HEARD_MS}
        FOR UPDATE OF machines SKIP LOCKED
      )
    )
    SELECT claims.place, at, person, used.nonce IS NOT NULL AS is_used FROM clock JOIN claims ON true
    LEFT JOIN known ON known.place = claims.place
    LEFT JOIN used ON used.machine = known.name AND used.nonce = known.nonce`,
    JSON.stringify(asked),
    CLOCK_WINDOW_MS,
  );
  const found = new Map(rows.map((row) => [readInteger(row, 'place'), row]));
  return claims.map((claim, place) => {
    const row = found.get(firsts.get(`${claim.machine} ${claim.nonce}`) ?? place);
    if (row === undefined) throw new Error('The database did not decide on a request');
    return verdictOf(row, claim, isFirst(place, claim));
  });
}

function verdictOf(row: Row, { time }: HubClaim, isFirst: boolean): HubVerdict {
  const person = readTextOrNull(row, 'person');
  const now = readInteger(row, 'at');
  if (person === null) return { type: 'unknown' };
  if (Math.abs(time - now) > CLOCK_WINDOW_MS) return { type: 'clock', now };
  const isAdmitted = isFirst && readInteger(row, 'is_used') === 1;
  return isAdmitted ? { type: 'admitted', person } : { type: 'replay' };
}

/** A request is valid for as long as its time is within the window, before as well as after the clock. */
export function forgetNonces(connection: Connection): Query<number> {
  return connection.run(
    `DELETE FROM nonces WHERE used_at < ${CLOCK} - ?::bigint`,
    2 * CLOCK_WINDOW_MS + HEARD_MS,
  );
}

/** Writes a row, which a standby and a disk with errors refuse, and removes those of processes that are gone. */
export function* ping(connection: Connection): Query<void> {
  yield* connection.run(
    `WITH gone AS (DELETE FROM heartbeats WHERE at < now() - interval '1 day')
    INSERT INTO heartbeats (process, at) VALUES (current_setting('application_name'), now())
    ON CONFLICT (process) DO UPDATE SET at = excluded.at`,
  );
}
