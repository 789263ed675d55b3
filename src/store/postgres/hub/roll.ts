import type { HubMachine, HubPerson } from '../../../core/hub/directory.ts';
import type { HubRoll } from '../../../core/hub/hub-store.ts';
import type { Connection, Query } from '../../query.ts';
import type { SecretRing } from './secret-ring.ts';
import type { KeySeal } from './key-seal.ts';
import { readPolicy } from './policy.ts';
import { readKnown } from './seal-keys.ts';
import { readInteger, readText, readTextOrNull, type Row } from '../../row.ts';

export function* readRoll(
  connection: Connection,
  known: number | null,
  ring: Pick<SecretRing, 'sealOf'>,
): Query<HubRoll | null> {
  const row = yield* connection.get('SELECT version FROM directory_version');
  const version = row === null ? 0 : readInteger(row, 'version');
  if (version === known) return null;
  const people = yield* connection.all(
    'SELECT email, name, team, settings FROM people WHERE removed_at IS NULL ORDER BY email',
  );
  const machines = yield* connection.all(
    `SELECT machines.name, person, key FROM machines JOIN people ON email = person
    WHERE revoked_at IS NULL AND removed_at IS NULL ORDER BY machines.name`,
  );
  const seal = ring.sealOf(yield* readKnown(connection));
  const policy = yield* readPolicy(connection);
  return {
    version,
    people: people.map(readPerson),
    machines: machines.flatMap((found) => readMachine(found, seal)),
    policy,
  };
}

export function readPerson(row: Row): HubPerson {
  return {
    email: readText(row, 'email'),
    name: readTextOrNull(row, 'name'),
    team: readTextOrNull(row, 'team'),
    settings: readText(row, 'settings'),
  };
}

/** None if its key was not sealed by this hub. */
function readMachine(row: Row, seal: Pick<KeySeal, 'open'>): readonly HubMachine[] {
  const name = readText(row, 'name');
  const stored = readText(row, 'key');
  const key = seal.open(name, stored);
  return key === null ? [] : [{ name, person: readText(row, 'person'), key, stored }];
}
