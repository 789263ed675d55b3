import { z } from 'zod';

import type { HubState, MachineRecord, PersonRecord } from '../../../core/hub/hub-records.ts';
import type { Connection, Query } from '../../query.ts';
import { field, nullable, read, stored } from '../../row.ts';

const HEARD_MS = 300_000;

const storedPerson = stored<PersonRecord>({
  email: field.text,
  name: nullable(field.text),
  team: nullable(field.text),
  source: field.text,
  addedAt: field.integer,
  removedAt: nullable(field.integer),
  machines: field.json(z.array(z.string())),
});

/** Everyone, removed people too, by address. */
export function* listPeople(connection: Connection): Query<readonly PersonRecord[]> {
  const rows = yield* connection.all(
    `SELECT *, (
      SELECT coalesce(json_agg(machines.name ORDER BY machines.name), '[]')::text
      FROM machines WHERE person = email AND revoked_at IS NULL
    ) AS machines FROM people ORDER BY email`,
  );
  return rows.map(storedPerson.read);
}

const storedMachine = stored<MachineRecord>({
  name: field.text,
  person: field.text,
  enrolledAt: field.integer,
  heardAt: nullable(field.integer),
  revokedAt: nullable(field.integer),
});

/** All machines, revoked ones too, by name. */
export function* listMachines(connection: Connection): Query<readonly MachineRecord[]> {
  const rows = yield* connection.all(
    `SELECT ${storedMachine.columns.join(', ')} FROM machines ORDER BY name`,
  );
  return rows.map(storedMachine.read);
}

export function* readState(connection: Connection, now: number): Query<HubState> {
  const sql = `SELECT (SELECT count(*) FROM people WHERE removed_at IS NULL) AS people,
      (SELECT count(*) FROM machines WHERE revoked_at IS NULL) AS machines,
      (SELECT count(*) FROM machines WHERE revoked_at IS NULL AND heard_at > ?1::bigint - ${HEARD_MS}) AS heard,
      (SELECT count(*) FROM invitations WHERE used_at IS NULL AND expires_at > ?1::bigint) AS invitations,
      (SELECT count(DISTINCT application_name) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'hookbell %') AS processes,
      (SELECT min(due_at) FROM deliveries
        WHERE state = 'pending' AND held_for IS NULL AND due_at <= ?1::bigint) AS due`;
  const row = yield* connection.get(sql, now);
  if (row === null) throw new Error('The database did not return the state of the hub');
  return {
    people: read.integer(row, 'people'),
    machines: read.integer(row, 'machines'),
    machinesHeard: read.integer(row, 'heard'),
    invitations: read.integer(row, 'invitations'),
    processes: read.integer(row, 'processes'),
    dueSince: read.integerOrNull(row, 'due'),
  };
}
