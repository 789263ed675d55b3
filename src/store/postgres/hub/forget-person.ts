import { setTimeout as delay } from 'node:timers/promises';

import type { AuditParty } from '../../../core/hub/audit.ts';
import type { Forgotten, ToForget } from '../../../core/hub/hub-records.ts';
import type { PersonRemoval } from '../../../core/hub/hub-store.ts';
import type { Database, Method } from '../../database.ts';
import type { Connection, Query } from '../../query.ts';
import { readInteger, readIntegerOrNull, readText, readTextOrNull, type Value } from '../../row.ts';
import { audit } from './audit.ts';
import { machinesOf } from './people.ts';
import { FORGOTTEN, type PersonalTable, personalTables, scrubNext } from './personal-texts.ts';

/** Rows per transaction, so that others can write in between. */
const BATCH_ROWS = 500;
/** A request that was admitted just before its machine was revoked is stored by then, ms. */
const LAST_REQUEST_MS = 3_000;
const LISTED = '(SELECT value FROM json_each(?))';

interface Erasure {
  readonly name: string | null;
  readonly machines: readonly string[];
  /** When the last machine was revoked, Unix ms; null: there was none. */
  readonly revokedAt: number | null;
}

/**
 * Erases a person, in small transactions: the machines are refused first, then what they sent and what was sent to the
 * person is removed, then the texts of others that name the person are changed. The row of the person is removed last,
 * so if a process ends in between, another call finds it, and erases what is left.
 */
export function forgetPersonOn({
  reads,
  writes,
  writesBeside,
  now,
}: Database): Method<[PersonRemoval], Forgotten | null> {
  const begin = writesBeside((connection, request: PersonRemoval) =>
    refuse(connection, now(), request),
  );
  const nextEvents = writesBeside(removeEvents);
  const nextSessions = writesBeside(removeSessions);
  const nextDeliveries = writesBeside(removeDeliveries);
  const tables = reads(personalTables);
  const scrub = writesBeside(scrubNext);
  // Nothing of the person may arrive in the meantime; little is left to do.
  const end = writes(
    (connection, request: PersonRemoval, known: Omit<Forgotten, 'machines'>, erasure: Erasure) =>
      finish(connection, now(), { ...request, known, erasure }),
  );

  return async (request) => {
    const { email } = request;
    const erasure = await begin(request);
    if (erasure === null) return null;
    const { name, revokedAt } = erasure;
    if (revokedAt !== null) await delay(Math.max(0, revokedAt + LAST_REQUEST_MS - now()));
    const machines = JSON.stringify(erasure.machines);
    const events = await untilNone(() => nextEvents(machines));
    const sessions = await untilNone(() => nextSessions(machines));
    const deliveries = await untilNone(() => nextDeliveries(email));
    let texts = 0;
    for (const table of await tables()) texts += await scrubAll(table);
    return end(request, { events, sessions, deliveries, texts }, erasure);

    async function scrubAll(table: PersonalTable): Promise<number> {
      let total = 0;
      let after: Value = null;
      for (;;) {
        const { changed, next } = await scrub(table, after, { email, name });
        total += changed;
        if (next === null) return total;
        after = next;
      }
    }
  };
}

async function untilNone(remove: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await remove();
    total += removed;
    if (removed === 0) return total;
  }
}

/** What the erasure of a person would remove; null: there is no such person. */
export function* toForget(connection: Connection, email: string): Query<ToForget | null> {
  const known = yield* connection.get('SELECT 1 AS one FROM people WHERE email = ?', email);
  if (known === null) return null;
  const machines = yield* machinesOf(connection, email);
  const listed = JSON.stringify(machines);
  const row = yield* connection.get(
    `SELECT (SELECT count(*) FROM events WHERE machine IN ${LISTED}) AS events,
      (SELECT count(*) FROM sessions WHERE machine IN ${LISTED}) AS sessions,
      (SELECT count(*) FROM deliveries WHERE recipient = ?) AS deliveries`,
    listed,
    listed,
    email,
  );
  const count = (column: string): number => (row === null ? 0 : readInteger(row, column));
  return {
    machines: machines.length,
    sessions: count('sessions'),
    events: count('events'),
    deliveries: count('deliveries'),
  };
}

/** The person's machines are refused from now on, and the person is not notified. */
function* refuse(
  connection: Connection,
  now: number,
  { email, actor }: PersonRemoval,
): Query<Erasure | null> {
  const row = yield* connection.get(
    // The name of two people identifies neither of them.
    `SELECT CASE WHEN NOT EXISTS (
      SELECT 1 FROM people AS other WHERE other.name = people.name AND other.email <> people.email
    ) THEN name END AS name, removed_at FROM people WHERE email = ?`,
    email,
  );
  if (row === null) return null;
  const machines = yield* machinesOf(connection, email);
  yield* connection.run(
    'UPDATE machines SET revoked_at = ? WHERE person = ? AND revoked_at IS NULL',
    now,
    email,
  );
  yield* connection.run('DELETE FROM invitations WHERE person = ?', email);
  yield* connection.run(
    `DELETE FROM answers_under_way WHERE machine IN ${LISTED}`,
    JSON.stringify(machines),
  );
  const last = yield* connection.get(
    'SELECT max(revoked_at) AS last FROM machines WHERE person = ?',
    email,
  );
  // Else an import could bring the person back meanwhile.
  yield* connection.run('UPDATE people SET removed_by = NULL WHERE email = ?', email);
  if (readIntegerOrNull(row, 'removed_at') === null) {
    yield* connection.run('UPDATE people SET removed_at = ? WHERE email = ?', now, email);
    const target = { type: 'person', email } as const;
    const detail = { machines: machines.length };
    yield* audit(connection, now, { actor, action: 'remove', target, detail });
  }
  const name = readTextOrNull(row, 'name');
  return { name, machines, revokedAt: last === null ? null : readIntegerOrNull(last, 'last') };
}

function* removeEvents(connection: Connection, machines: string): Query<number> {
  const rows = yield* connection.all(
    `SELECT id, session_key FROM events WHERE machine IN ${LISTED} LIMIT ${BATCH_ROWS}`,
    machines,
  );
  if (rows.length === 0) return 0;
  yield* connection.lockSessions(rows.map((row) => readText(row, 'session_key')));
  return yield* connection.run(
    `DELETE FROM events WHERE id IN ${LISTED}`,
    JSON.stringify(rows.map((row) => readText(row, 'id'))),
  );
}

function* removeSessions(connection: Connection, machines: string): Query<number> {
  const rows = yield* connection.all(
    `SELECT key FROM sessions WHERE machine IN ${LISTED} LIMIT ${BATCH_ROWS}`,
    machines,
  );
  const keys = rows.map((row) => readText(row, 'key'));
  if (keys.length === 0) return 0;
  yield* connection.lockSessions(keys);
  return yield* connection.run(`DELETE FROM sessions WHERE key IN ${LISTED}`, JSON.stringify(keys));
}

/** What was sent to the person about the events of others, as a member of a group. */
function* removeDeliveries(connection: Connection, email: string): Query<number> {
  const rows = yield* connection.all(
    `SELECT id, channel, session_key FROM deliveries WHERE recipient = ? LIMIT ${BATCH_ROWS}`,
    email,
  );
  if (rows.length === 0) return 0;
  const ids = JSON.stringify(rows.map((row) => readText(row, 'id')));
  const texts = (column: string): string =>
    JSON.stringify(rows.map((row) => readText(row, column)));
  yield* connection.lockSessions(rows.map((row) => readText(row, 'session_key')));
  const removed = yield* connection.run(`DELETE FROM deliveries WHERE id IN ${LISTED}`, ids);
  // Those behind them, to others, would never be next.
  yield* connection.run(
    'SELECT requeue(ARRAY (SELECT value FROM json_each(?)), ARRAY (SELECT value FROM json_each(?)))',
    texts('channel'),
    texts('session_key'),
  );
  return removed;
}

function* finish(
  connection: Connection,
  now: number,
  {
    email,
    actor,
    known,
    erasure: { name, machines: had },
  }: {
    readonly email: string;
    readonly actor: AuditParty;
    readonly known: Omit<Forgotten, 'machines'>;
    readonly erasure: Erasure;
  },
): Query<Forgotten | null> {
  const person = yield* connection.get('SELECT 1 AS one FROM people WHERE email = ?', email);
  // Another process has erased the rest.
  if (person === null) return { ...known, machines: had.length };
  const machines = JSON.stringify(yield* machinesOf(connection, email));
  const events = yield* connection.run(`DELETE FROM events WHERE machine IN ${LISTED}`, machines);
  const sessions = yield* connection.run(
    `DELETE FROM sessions WHERE machine IN ${LISTED}`,
    machines,
  );
  for (const table of ['waits', 'nonces', 'answers_under_way']) {
    yield* connection.run(`DELETE FROM ${table} WHERE machine IN ${LISTED}`, machines);
  }
  yield* connection.run('DELETE FROM mutes WHERE person = ?', email);
  yield* connection.run('DELETE FROM deliveries WHERE recipient = ?', email);
  yield* connection.run('DELETE FROM invitations WHERE person = ?', email);
  if (name !== null)
    yield* connection.run(
      'UPDATE questions SET answered_by = ? WHERE answered_by = ?',
      FORGOTTEN,
      name,
    );
  const count = yield* connection.run('DELETE FROM machines WHERE person = ?', email);
  const forgotten = {
    machines: count,
    sessions: known.sessions + sessions,
    events: known.events + events,
    deliveries: known.deliveries,
    texts: known.texts,
  };
  const target = { type: 'person', email } as const;
  // Before the row that gives the id a meaning is gone.
  yield* audit(connection, now, { actor, action: 'forget', target, detail: forgotten });
  yield* connection.run('DELETE FROM people WHERE email = ?', email);
  return forgotten;
}
