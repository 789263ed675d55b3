import type { Forgotten, ToForget } from '../../../core/hub/hub-records.ts';
import type { PersonRemoval } from '../../../core/hub/hub-store.ts';
import { parseJsonObject } from '../../../platform/json.ts';
import type { Database, Method } from '../../database.ts';
import type { Connection, Query } from '../../query.ts';
import { read, type Value } from '../../row.ts';
import { audit } from './audit.ts';
import { machinesOf } from './people.ts';
import { FORGOTTEN, type PersonalTable, personalTables, scrubNext } from './personal-texts.ts';

/** Rows per transaction, so that others can write in between. */
const BATCH_ROWS = 500;
/** As an array, for which an index is used; a subquery of unknown length is joined with the whole table. */
const LISTED = 'ANY (ARRAY (SELECT value FROM json_each(?)))';

interface Erasure {
  readonly id: string;
  readonly name: string | null;
  readonly machines: readonly string[];
}

/**
 * Erases a person, in small transactions: the machines are refused first, then what they sent and what was sent to the
 * person is removed, then the texts of others that name the person are changed. The row of the person is removed last, so
 * that another call erases what is left if a process ends in between, and the audit states all of it.
 *
 * A request that was admitted just before its machine was revoked may come while this runs, or after it. A transaction that
 * stores events looks again whether their machine may send, and the last step lets none of them run beside it.
 */
export function forgetPersonOn(options: Database): Method<[PersonRemoval], Forgotten | null> {
  const { reads, writes, writesBeside, now } = options;
  const begin = writesBeside((connection, request: PersonRemoval) =>
    refuse(connection, now(), request),
  );
  const nextSent = writesBeside(removeSent);
  const nextDeliveries = writesBeside(removeDeliveries);
  const tables = reads(personalTables);
  const scrub = writesBeside(function* scrubbed(
    connection,
    table: PersonalTable,
    after: Value,
    person: { readonly email: string; readonly name: string | null },
  ) {
    const { changed, next } = yield* scrubNext(connection, table, after, person);
    yield* addTo(connection, person.email, 'texts', changed);
    return next;
  });
  // Nothing of the person may arrive in the meantime; little is left to do.
  const end = writes((connection, request: PersonRemoval, erasure: Erasure) =>
    finish(connection, now(), request, erasure),
  );

  return async (request) => {
    const { email } = request;
    const erasure = await begin(request);
    if (erasure === null) return null;
    const { name } = erasure;
    const machines = JSON.stringify(erasure.machines);
    while ((await nextSent(email, 'events', machines)) > 0);
    while ((await nextSent(email, 'sessions', machines)) > 0);
    while ((await nextDeliveries(email)) > 0);
    for (const table of await tables()) {
      let after: Value = null;
      do after = await scrub(table, after, { email, name });
      while (after !== null);
    }
    return end(request, erasure);
  };
}

function* addTo(
  connection: Connection,
  email: string,
  what: keyof Omit<Forgotten, 'machines'>,
  removed: number,
): Query<number> {
  const sql = `UPDATE erasures SET ${what} = ${what} + ? WHERE person = ?`;
  if (removed > 0) yield* connection.run(sql, removed, email);
  return removed;
}

/** What the erasure of a person would remove; null: there is no such person. */
export function* toForget(connection: Connection, email: string): Query<ToForget | null> {
  const known = yield* connection.get('SELECT 1 AS one FROM people WHERE email = ?', email);
  if (known === null) return null;
  const machines = yield* machinesOf(connection, email);
  const listed = JSON.stringify(machines);
  const sql = `SELECT (SELECT count(*) FROM events WHERE machine = ${LISTED}) AS events,
      (SELECT count(*) FROM sessions WHERE machine = ${LISTED}) AS sessions,
      (SELECT count(*) FROM deliveries WHERE recipient = ?) AS deliveries`;
  const row = yield* connection.get(sql, listed, listed, email);
  const count = (column: string): number => (row === null ? 0 : read.integer(row, column));
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
    ) THEN name END AS name, id, removed_at FROM people WHERE email = ?`,
    email,
  );
  if (row === null) return null;
  const machines = yield* machinesOf(connection, email);
  const sql = 'UPDATE machines SET revoked_at = ? WHERE person = ? AND revoked_at IS NULL';
  yield* connection.run(sql, now, email);
  yield* connection.run('DELETE FROM invitations WHERE person = ?', email);
  yield* connection.run(
    `DELETE FROM answers_under_way WHERE machine = ${LISTED}`,
    JSON.stringify(machines),
  );
  yield* connection.run('INSERT INTO erasures (person) VALUES (?) ON CONFLICT DO NOTHING', email);
  // Else an import could bring the person back meanwhile.
  yield* connection.run('UPDATE people SET removed_by = NULL WHERE email = ?', email);
  if (read.integerOrNull(row, 'removed_at') === null) {
    yield* connection.run('UPDATE people SET removed_at = ? WHERE email = ?', now, email);
    const target = { type: 'person', email } as const;
    const detail = { machines: machines.length };
    yield* audit(connection, now, { actor, action: 'remove', target, detail });
  }
  return { id: read.text(row, 'id'), name: read.textOrNull(row, 'name'), machines };
}

function* removeSent(
  connection: Connection,
  email: string,
  what: 'events' | 'sessions',
  machines: string,
): Query<number> {
  const [key, session] = what === 'events' ? ['id', 'session_key'] : ['key', 'key'];
  const next = `SELECT ${key} AS id, ${session} AS session FROM ${what} WHERE machine = ${LISTED} LIMIT ${BATCH_ROWS}`;
  const rows = yield* connection.all(next, machines);
  if (rows.length === 0) return 0;
  yield* connection.lockSessions(rows.map((row) => read.text(row, 'session')));
  const ids = JSON.stringify(rows.map((row) => read.text(row, 'id')));
  const removed = yield* connection.run(`DELETE FROM ${what} WHERE ${key} = ${LISTED}`, ids);
  return yield* addTo(connection, email, what, removed);
}

/** What was sent to the person about the events of others, as a member of a group. */
function* removeDeliveries(connection: Connection, email: string): Query<number> {
  const rows = yield* connection.all(
    `SELECT id, channel, session_key FROM deliveries WHERE recipient = ? LIMIT ${BATCH_ROWS}`,
    email,
  );
  if (rows.length === 0) return 0;
  const ids = JSON.stringify(rows.map((row) => read.text(row, 'id')));
  const texts = (column: string): string =>
    JSON.stringify(rows.map((row) => read.text(row, column)));
  yield* connection.lockSessions(rows.map((row) => read.text(row, 'session_key')));
  const removed = yield* connection.run(`DELETE FROM deliveries WHERE id = ${LISTED}`, ids);
  // Deliveries to others that waited behind them would otherwise never be next.
  const sql =
    'SELECT requeue(ARRAY (SELECT value FROM json_each(?)), ARRAY (SELECT value FROM json_each(?)))';
  yield* connection.run(sql, texts('channel'), texts('session_key'));
  return yield* addTo(connection, email, 'deliveries', removed);
}

function* finish(
  connection: Connection,
  now: number,
  { email, actor }: PersonRemoval,
  { name, id }: Erasure,
): Query<Forgotten | null> {
  const known = yield* connection.get('SELECT * FROM erasures WHERE person = ?', email);
  if (known === null) return yield* erasedElsewhere(connection, id);
  const machines = JSON.stringify(yield* machinesOf(connection, email));
  const events = yield* connection.run(`DELETE FROM events WHERE machine = ${LISTED}`, machines);
  const sql = `DELETE FROM sessions WHERE machine = ${LISTED}`;
  const sessions = yield* connection.run(sql, machines);
  for (const table of ['waits', 'nonces', 'answers_under_way']) {
    yield* connection.run(`DELETE FROM ${table} WHERE machine = ${LISTED}`, machines);
  }
  yield* connection.run('DELETE FROM mutes WHERE person = ?', email);
  const deliveries = yield* connection.run('DELETE FROM deliveries WHERE recipient = ?', email);
  yield* connection.run('DELETE FROM invitations WHERE person = ?', email);
  const rename = 'UPDATE questions SET answered_by = ? WHERE answered_by = ?';
  if (name !== null) yield* connection.run(rename, FORGOTTEN, name);
  const removed = yield* connection.run('DELETE FROM machines WHERE person = ?', email);
  const forgotten = {
    machines: removed,
    sessions: read.integer(known, 'sessions') + sessions,
    events: read.integer(known, 'events') + events,
    deliveries: read.integer(known, 'deliveries') + deliveries,
    texts: read.integer(known, 'texts'),
  };
  const target = { type: 'person', email } as const;
  // Before the row that gives the id a meaning is gone.
  yield* audit(connection, now, { actor, action: 'forget', target, detail: forgotten });
  yield* connection.run('DELETE FROM people WHERE email = ?', email);
  return forgotten;
}

/** Another process has done the last step meanwhile: its entry in the audit states what both have removed. */
function* erasedElsewhere(connection: Connection, id: string): Query<Forgotten> {
  const sql = "SELECT detail FROM audit WHERE action = 'forget' AND target = ?";
  const entry = yield* connection.get(sql, `person ${id}`);
  const detail = parseJsonObject(entry === null ? '' : read.text(entry, 'detail')) ?? {};
  const counted = (what: keyof Forgotten): number => Number(detail[what] ?? 0);
  return {
    machines: counted('machines'),
    sessions: counted('sessions'),
    events: counted('events'),
    deliveries: counted('deliveries'),
    texts: counted('texts'),
  };
}
