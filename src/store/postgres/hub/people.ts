import type { HubPerson } from '../../../core/hub/directory.ts';
import type { Revoked, SettingsChange } from '../../../core/hub/hub-store.ts';
import type { AuditParty } from '../../../core/hub/audit.ts';
import type { Connection, Query } from '../../query.ts';
import { readText } from '../../row.ts';
import { audit } from './audit.ts';
import { readPerson } from './roll.ts';

/** Returns false if the person no longer exists. */
export function* changeSettings(
  connection: Connection,
  now: number,
  { email, settings, actor }: SettingsChange,
): Query<boolean> {
  const changed = yield* connection.run(
    'UPDATE people SET settings = (settings::jsonb || ?::jsonb)::text WHERE email = ? AND removed_at IS NULL',
    settings,
    email,
  );
  if (changed === 0) return false;
  const target = { type: 'person', email } as const;
  yield* audit(connection, now, { actor, action: 'settings', target, detail: {} });
  return true;
}

/** Returns null if the machine does not exist or is already revoked. */
export function* revokeMachine(
  connection: Connection,
  now: number,
  { name, actor }: { readonly name: string; readonly actor: AuditParty },
): Query<Revoked | null> {
  const revoked = yield* connection.run(
    'UPDATE machines SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL',
    now,
    name,
  );
  if (revoked === 0) return null;
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
  const removed = yield* connection.run(
    'UPDATE people SET removed_at = ? WHERE email = ? AND removed_at IS NULL',
    now,
    email,
  );
  if (removed === 0) return null;
  const machines = yield* machinesOf(connection, email);
  yield* connection.run(
    'UPDATE machines SET revoked_at = coalesce(revoked_at, ?) WHERE person = ?',
    now,
    email,
  );
  yield* connection.run('DELETE FROM invitations WHERE person = ?', email);
  const target = { type: 'person', email } as const;
  const detail = { machines: machines.length };
  yield* audit(connection, now, { actor, action: 'remove', target, detail });
  return { machines };
}

export function* machinesOf(connection: Connection, email: string): Query<readonly string[]> {
  const rows = yield* connection.all('SELECT name FROM machines WHERE person = ?', email);
  return rows.map((row) => readText(row, 'name'));
}

/** Null: unknown, or removed. */
export function* personWith(connection: Connection, email: string): Query<HubPerson | null> {
  const row = yield* connection.get(
    'SELECT email, name, team, settings FROM people WHERE email = ? AND removed_at IS NULL',
    email,
  );
  return row === null ? null : readPerson(row);
}
