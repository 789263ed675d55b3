import type {
  Revoked,
  SettingsChange,
  PeopleImport,
  PersonImport,
  PruneRequest,
} from '../../../core/hub/hub-store.ts';
import type { AuditParty } from '../../../core/hub/audit.ts';
import type { Connection, Query } from '../../query.ts';
import { read } from '../../row.ts';
import { audit } from './audit.ts';
import type { Imported, MissingPeople, Pruned } from '../../../core/hub/hub-records.ts';

export function* changeSettings(
  connection: Connection,
  now: number,
  { email, settings, actor }: SettingsChange,
): Query<boolean> {
  const sql =
    'UPDATE people SET settings = (settings::jsonb || ?::jsonb)::text WHERE email = ? AND removed_at IS NULL';
  const changed = yield* connection.run(sql, settings, email);
  if (changed === 0) return false;
  const target = { type: 'person', email } as const;
  yield* audit(connection, now, { actor, action: 'settings', target, detail: {} });
  return true;
}

export function* revokeMachine(
  connection: Connection,
  now: number,
  { name, actor }: { readonly name: string; readonly actor: AuditParty },
): Query<Revoked | null> {
  const sql = 'UPDATE machines SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL';
  if ((yield* connection.run(sql, now, name)) === 0) return null;
  yield* connection.run('DELETE FROM answers_under_way WHERE machine = ?', name);
  const target = { type: 'machine', name } as const;
  yield* audit(connection, now, { actor, action: 'revoke', target, detail: {} });
  return { machines: [name] };
}

/** Removes a person with all their machines and invitations. Returns null if the person does not exist. */
export function* removePerson(
  connection: Connection,
  now: number,
  { email, actor }: { readonly email: string; readonly actor: AuditParty },
): Query<Revoked | null> {
  const sql = 'UPDATE people SET removed_at = ? WHERE email = ? AND removed_at IS NULL';
  if ((yield* connection.run(sql, now, email)) === 0) return null;
  const machines = yield* machinesOf(connection, email);
  const updateMachines =
    'UPDATE machines SET revoked_at = coalesce(revoked_at, ?) WHERE person = ?';
  yield* connection.run(updateMachines, now, email);
  yield* connection.run('DELETE FROM invitations WHERE person = ?', email);
  const target = { type: 'person', email } as const;
  const detail = { machines: machines.length };
  yield* audit(connection, now, { actor, action: 'remove', target, detail });
  return { machines };
}

export function* machinesOf(connection: Connection, email: string): Query<readonly string[]> {
  const rows = yield* connection.all('SELECT name FROM machines WHERE person = ?', email);
  return rows.map((row) => read.text(row, 'name'));
}

/**
 * Adds people, and changes names and teams of known ones. Someone whom an earlier import removed comes back; someone who
 * was removed by hand stays removed.
 */
export function* importPeople(
  connection: Connection,
  now: number,
  { people, source, actor }: PeopleImport,
): Query<Imported> {
  // A statement changes a row once, and each statement makes every process read the directory again.
  const wanted = new Map<string, PersonImport>();
  for (const { email, name, team } of people) {
    const former = wanted.get(email);
    wanted.set(email, {
      email,
      name: name ?? former?.name ?? null,
      team: team ?? former?.team ?? null,
    });
  }
  const emails = JSON.stringify([...wanted.keys()]);
  const removed = yield* connection.all(
    `SELECT email, CASE WHEN removed_by IS NULL THEN 1 ELSE 0 END AS by_hand FROM people
    WHERE removed_at IS NOT NULL AND email IN (SELECT value FROM json_each(?)) ORDER BY email FOR UPDATE`,
    emails,
  );
  const readmitted = removed
    .filter((row) => read.integer(row, 'by_hand') === 0)
    .map((row) => read.text(row, 'email'));
  const sql = `WITH written AS (
      INSERT INTO people (email, name, team, source, added_at)
      SELECT email, name, team, ?2, ?3::bigint
      FROM json_to_recordset(?1::json) AS person (email text, name text, team text) ORDER BY email
      ON CONFLICT (email) DO UPDATE
        SET name = coalesce(excluded.name, people.name), team = coalesce(excluded.team, people.team),
          removed_at = CASE WHEN people.removed_by IS NULL THEN people.removed_at END, removed_by = NULL
        WHERE (coalesce(excluded.name, people.name), coalesce(excluded.team, people.team))
            IS DISTINCT FROM (people.name, people.team)
          OR people.removed_by IS NOT NULL
      RETURNING (xmax = 0) AS is_new
    )
    SELECT count(*) FILTER (WHERE is_new) AS added, count(*) FILTER (WHERE NOT is_new) AS changed
    FROM written`;
  const row = yield* connection.get(sql, JSON.stringify([...wanted.values()]), source, now);
  const added = row === null ? 0 : read.integer(row, 'added');
  const changed = row === null ? 0 : read.integer(row, 'changed');
  const detail = { source, added, changed, readmitted: readmitted.length };
  yield* audit(connection, now, { actor, action: 'import', target: null, detail });
  return { added, changed, readmitted, stayRemoved: removed.length - readmitted.length };
}

/** People of earlier imports from a source that no longer has them, with the machines that would be revoked. */
export function* missingPeople(
  connection: Connection,
  { emails, source }: Pick<PruneRequest, 'emails' | 'source'>,
): Query<MissingPeople> {
  const known = yield* connection.get(
    'SELECT count(*) AS count FROM people WHERE source = ? AND removed_at IS NULL',
    source,
  );
  const sql = `SELECT email, (
      SELECT string_agg(name, ' ' ORDER BY name) FROM machines WHERE person = email AND revoked_at IS NULL
    ) AS machines FROM people
    WHERE source = ? AND removed_at IS NULL AND email NOT IN (SELECT value FROM json_each(?)) ORDER BY email`;
  const rows = yield* connection.all(sql, source, JSON.stringify(emails));
  const people = rows.map((row) => ({
    email: read.text(row, 'email'),
    // Such a name has no blank.
    machines: read.textOrNull(row, 'machines')?.split(' ') ?? [],
  }));
  return { known: known === null ? 0 : read.integer(known, 'count'), people };
}

/** Removes people whom the source no longer has, unless one of them was not shown; their machines are revoked. */
export function* prunePeople(
  connection: Connection,
  now: number,
  { emails, source, shown, actor }: PruneRequest,
): Query<Pruned> {
  const { people } = yield* missingPeople(connection, { emails, source });
  const known = new Set(shown);
  const others = people.filter(({ email }) => !known.has(email));
  if (others.length > 0) return { type: 'others', count: others.length };
  if (people.length === 0) return { type: 'pruned', removed: [] };
  const gone = JSON.stringify(people.map(({ email }) => email));
  const updateMachines = `UPDATE machines SET revoked_at = ? WHERE revoked_at IS NULL AND person IN (SELECT value FROM json_each(?))`;
  yield* connection.run(updateMachines, now, gone);
  yield* connection.run(
    `DELETE FROM invitations WHERE person IN (SELECT value FROM json_each(?))`,
    gone,
  );
  yield* connection.run(
    `DELETE FROM answers_under_way WHERE machine IN (
      SELECT name FROM machines WHERE person IN (SELECT value FROM json_each(?))
    )`,
    gone,
  );
  const sql = `UPDATE people SET removed_at = ?, removed_by = ? WHERE email IN (SELECT value FROM json_each(?))`;
  yield* connection.run(sql, now, source, gone);
  for (const { email, machines } of people) {
    const target = { type: 'person', email } as const;
    const detail = { machines: machines.length, source };
    yield* audit(connection, now, { actor, action: 'remove', target, detail });
  }
  return { type: 'pruned', removed: people };
}
