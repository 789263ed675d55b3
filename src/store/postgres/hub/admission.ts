import type {
  HubClaim,
  HubVerdict,
  Enrolled,
  EnrolRequest,
  Invitation,
} from '../../../core/hub/hub-store.ts';
import { CLOCK_WINDOW_MS } from '../../../core/relay.ts';
import type { Connection, Query } from '../../query.ts';
import { read } from '../../row.ts';
import { audit } from './audit.ts';

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

const TOKENS =
  'least(?2::bigint, held.tokens + greatest(0, excluded.counted_at - held.counted_at) / ?3::double precision)';

/**
 * Takes a token from a bucket that all processes share, by the clock of the database. Returns false if there is none.
 *
 * @param bucket.everyMs one more token after this long
 */
function* takeToken(
  connection: Connection,
  name: string,
  { burst, everyMs }: { readonly burst: number; readonly everyMs: number },
): Query<boolean> {
  const sql = `WITH now AS (SELECT ${CLOCK} AS at)
    INSERT INTO limits AS held (name, tokens, counted_at) SELECT ?1, ?2::bigint - 1, at FROM now
    ON CONFLICT (name) DO UPDATE SET
      tokens = ${TOKENS} - 1, counted_at = excluded.counted_at
    WHERE ${TOKENS} >= 1`;
  const taken = yield* connection.run(sql, name, burst, everyMs);
  return taken === 1;
}

/** Adds the person if new, and an invitation. Returns when it expires, Unix ms. */
export function* invite(
  connection: Connection,
  now: number,
  { email, name, team, codeHash, expireAfterMs, actor }: Invitation,
): Query<number> {
  const sql = `INSERT INTO people (email, name, team, source, added_at) VALUES (?, ?, ?, 'invitation', ?)
    ON CONFLICT (email) DO UPDATE SET removed_at = NULL, removed_by = NULL,
      name = coalesce(excluded.name, people.name), team = coalesce(excluded.team, people.team)`;
  yield* connection.run(sql, email, name, team, now);
  const insertInvitations =
    'INSERT INTO invitations (code_hash, person, made_at, expires_at) VALUES (?, ?, ?, ?)';
  yield* connection.run(insertInvitations, codeHash, email, now, now + expireAfterMs);
  const target = { type: 'person', email } as const;
  yield* audit(connection, now, { actor, action: 'invite', target, detail: { expireAfterMs } });
  return now + expireAfterMs;
}

/** The lock of the invitation's row lets only one of several concurrent redemptions win. */
export function* enrol(
  connection: Connection,
  now: number,
  { codeHash, machine, key }: EnrolRequest,
): Query<Enrolled> {
  const selectInvitations = `SELECT person FROM invitations JOIN people ON email = person
    WHERE code_hash = ? AND used_at IS NULL AND expires_at > ? AND removed_at IS NULL
    FOR UPDATE OF invitations`;
  const invitation = yield* connection.get(selectInvitations, codeHash, now);
  if (invitation === null) return { type: 'refused' };
  const person = read.text(invitation, 'person');
  const sql = `INSERT INTO machines (name, person, key, enrolled_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET key = excluded.key, enrolled_at = excluded.enrolled_at, revoked_at = NULL
    WHERE machines.person = excluded.person
    RETURNING (xmax = 0) AS is_new`;
  const row = yield* connection.get(sql, machine, person, key, now);
  if (row === null) return { type: 'taken' };
  yield* connection.run('UPDATE invitations SET used_at = ? WHERE code_hash = ?', now, codeHash);
  yield* audit(connection, now, {
    actor: { type: 'person', email: person },
    action: 'enrol',
    target: { type: 'machine', name: machine },
    detail: { again: read.integer(row, 'is_new') === 0 },
  });
  return { type: 'enrolled', person };
}

/** Guessing is hopeless but costs time, so attempts are limited. */
const ENROL = 'enrol ';
const FROM_ONE = { burst: 10, everyMs: 10_000 };
const FROM_ALL = { burst: 300, everyMs: 200 };
/** A refusal is recorded once an hour for each source. */
const HOUR_MS = 3_600_000;

/** Returns 0 if an attempt may be made from this address, or how long to wait, ms. */
export function* mayEnrol(connection: Connection, now: number, address: string): Query<number> {
  const name = `${ENROL}from ${address}`;
  if (!(yield* takeToken(connection, name, FROM_ONE))) {
    const hourly = { burst: 1, everyMs: HOUR_MS };
    if (yield* takeToken(connection, `${ENROL}refused ${address}`, hourly)) {
      const detail = { reason: 'too many enrolments', address };
      const entry = { actor: { type: 'hub' }, action: 'refuse', target: null, detail } as const;
      yield* audit(connection, now, entry);
    }
    return FROM_ONE.everyMs;
  }
  const isFree = yield* takeToken(connection, `${ENROL}all`, FROM_ALL);
  return isFree ? 0 : FROM_ALL.everyMs;
}

export function* forgetEnrolments(connection: Connection, now: number): Query<void> {
  // Buckets that were not used for an hour are full again.
  const sql = `DELETE FROM limits WHERE starts_with(name, ?) AND counted_at < ${CLOCK} - ${HOUR_MS}`;
  yield* connection.run(sql, ENROL);
  yield* connection.run('DELETE FROM invitations WHERE expires_at < ?', now - 24 * HOUR_MS);
}
