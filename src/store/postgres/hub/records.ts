import type { HubState, MachineRecord, PersonRecord } from '../../../core/hub/hub-records.ts';
import type { Connection, Query } from '../../query.ts';
import { readInteger, readIntegerOrNull, readText, readTextOrNull } from '../../row.ts';

const HEARD_MS = 300_000;

/** Everyone, removed people too, by address. */
export function* listPeople(connection: Connection): Query<readonly PersonRecord[]> {
  const byPerson = new Map<string, string[]>();
  for (const { name, person, revokedAt } of yield* listMachines(connection)) {
    if (revokedAt !== null) continue;
    const names = byPerson.get(person);
    if (names === undefined) byPerson.set(person, [name]);
    else names.push(name);
  }
  const rows = yield* connection.all('SELECT * FROM people ORDER BY email');
  return rows.map((row) => {
    const email = readText(row, 'email');
    return {
      email,
      name: readTextOrNull(row, 'name'),
      team: readTextOrNull(row, 'team'),
      source: readText(row, 'source'),
      addedAt: readInteger(row, 'added_at'),
      removedAt: readIntegerOrNull(row, 'removed_at'),
      machines: byPerson.get(email) ?? [],
    };
  });
}

/** All machines, revoked ones too, by name. */
export function* listMachines(connection: Connection): Query<readonly MachineRecord[]> {
  const rows = yield* connection.all(
    'SELECT name, person, enrolled_at, heard_at, revoked_at FROM machines ORDER BY name',
  );
  return rows.map((row) => ({
    name: readText(row, 'name'),
    person: readText(row, 'person'),
    enrolledAt: readInteger(row, 'enrolled_at'),
    heardAt: readIntegerOrNull(row, 'heard_at'),
    revokedAt: readIntegerOrNull(row, 'revoked_at'),
  }));
}

export function* readState(connection: Connection, now: number): Query<HubState> {
  const row = yield* connection.get(
    `SELECT (SELECT count(*) FROM people WHERE removed_at IS NULL) AS people,
      (SELECT count(*) FROM machines WHERE revoked_at IS NULL) AS machines,
      (SELECT count(*) FROM machines WHERE revoked_at IS NULL AND heard_at > ?1::bigint - ${HEARD_MS}) AS heard,
      (SELECT count(*) FROM invitations WHERE used_at IS NULL AND expires_at > ?1::bigint) AS invitations,
      (SELECT count(DISTINCT application_name) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'hookbell %') AS processes,
      (SELECT min(due_at) FROM deliveries
        WHERE state = 'pending' AND held_for IS NULL AND due_at <= ?1::bigint) AS due`,
    now,
  );
  if (row === null) throw new Error('The database did not return the state of the hub');
  return {
    people: readInteger(row, 'people'),
    machines: readInteger(row, 'machines'),
    machinesHeard: readInteger(row, 'heard'),
    invitations: readInteger(row, 'invitations'),
    processes: readInteger(row, 'processes'),
    dueSince: readIntegerOrNull(row, 'due'),
  };
}
