import type { HubMachine, HubPerson } from '../../../core/hub/directory.ts';
import type { HubRoll, PolicySetting } from '../../../core/hub/hub-store.ts';
import type { Connection, Query } from '../../query.ts';
import type { SecretRing, KeySeal } from './secret-ring.ts';
import { readKnown } from './seal-keys.ts';
import { field, nullable, read, type Row, stored } from '../../row.ts';
import { z } from 'zod';
import type { PolicyInForce } from '../../../core/hub/machine-policy.ts';
import { audit } from './audit.ts';

/** Each change of people, machines or the policy increases it. */
export function* readVersion(connection: Connection): Query<number> {
  const row = yield* connection.get('SELECT version FROM directory_version');
  return row === null ? 0 : read.integer(row, 'version');
}

export function* readRoll(
  connection: Connection,
  ring: Pick<SecretRing, 'sealOf'>,
): Query<HubRoll> {
  const version = yield* readVersion(connection);
  const people = yield* connection.all(
    'SELECT * FROM people WHERE removed_at IS NULL ORDER BY email',
  );
  const machines = yield* connection.all(
    `SELECT machines.name, person, key FROM machines JOIN people ON email = person
    WHERE revoked_at IS NULL AND removed_at IS NULL ORDER BY machines.name`,
  );
  const seal = ring.sealOf(yield* readKnown(connection));
  const policy = yield* readPolicy(connection);
  return {
    version,
    people: people.map(storedPerson.read),
    machines: machines.flatMap((found) => readMachine(found, seal)),
    policy,
  };
}

const storedPerson = stored<HubPerson>({
  email: field.text,
  name: nullable(field.text),
  team: nullable(field.text),
  settings: field.text,
});

export function* personWith(connection: Connection, email: string): Query<HubPerson | null> {
  const sql = 'SELECT * FROM people WHERE email = ? AND removed_at IS NULL';
  const row = yield* connection.get(sql, email);
  return row === null ? null : storedPerson.read(row);
}

/** None if its key was not sealed by this hub. */
function readMachine(row: Row, seal: Pick<KeySeal, 'open'>): readonly HubMachine[] {
  const name = read.text(row, 'name');
  const sealed = read.text(row, 'key');
  const key = seal.open(name, sealed);
  return key === null ? [] : [{ name, person: read.text(row, 'person'), key, stored: sealed }];
}

const storedPolicy = stored<PolicyInForce>({
  version: field.integer,
  policy: field.json(z.record(z.string(), z.unknown())),
});

/** The policy for machines; null: none was ever set. */
export function* readPolicy(connection: Connection): Query<PolicyInForce | null> {
  const sql = 'SELECT version, body AS policy FROM policies ORDER BY version DESC LIMIT 1';
  const row = yield* connection.get(sql);
  return row === null ? null : storedPolicy.read(row);
}

/** A change of the clock does not make a new one older than the one before. */
export function* setPolicy(
  connection: Connection,
  now: number,
  { policy, actor }: PolicySetting,
): Query<PolicyInForce> {
  yield* connection.run('LOCK TABLE policies IN SHARE ROW EXCLUSIVE MODE');
  const version = Math.max(now, ((yield* readPolicy(connection))?.version ?? 0) + 1);
  const body = JSON.stringify(policy);
  yield* connection.run('INSERT INTO policies (version, body) VALUES (?, ?)', version, body);
  yield* audit(connection, now, { actor, action: 'policy', target: null, detail: policy });
  return { version, policy };
}
