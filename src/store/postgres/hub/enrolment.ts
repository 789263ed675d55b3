import type { Enrolled, EnrolRequest, Invitation } from '../../../core/hub/hub-store.ts';
import type { Connection, Query } from '../../query.ts';
import { read } from '../../row.ts';
import { audit } from './audit.ts';
import { CLOCK } from './admission.ts';

/** What the bucket holds by now. */
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
