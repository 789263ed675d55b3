import type { AuditParty } from '../../../core/hub/audit.ts';
import type { SealState, SealReset } from '../../../core/hub/hub-store.ts';
import type { Connection, Query } from '../../query.ts';
import { read } from '../../row.ts';
import { audit } from './audit.ts';
import { type SecretRing, type KeySeal, noSeal } from './secret-ring.ts';

/** The known text, sealed as the keys are; null: they are not. */
export function* readKnown(connection: Connection): Query<string | null> {
  const row = yield* connection.get('SELECT known FROM key_seal');
  return row === null ? null : read.text(row, 'known');
}

/**
 * Seals the keys of machines with the secret of this process, if every process of the hub has it: one without it could no
 * longer open them. Call it with the lock of the whole store, so that no process starts and no machine enrols meanwhile.
 *
 * @param host of this process, which the others name
 */
export function* sealKeys(
  connection: Connection,
  now: number,
  ring: SecretRing,
  host: string,
): Query<SealState> {
  const seal = ring.find(yield* readKnown(connection));
  if (seal === null) return { type: 'foreign' };
  // The other columns are filled when the process compares its configuration with that of the others.
  const sql = `INSERT INTO process_configs (process, host, program, hashes, proofs)
    VALUES (current_setting('application_name'), ?, '', '{}', ?)
    ON CONFLICT (process) DO UPDATE SET proofs = excluded.proofs`;
  yield* connection.run(sql, host, ring.proofs);
  if (seal === ring.wanted) return sealingOf(ring);
  const hosts = yield* hostsOf(connection, (proofs) => !ring.isWantedIn(proofs));
  if (hosts.length > 0) return { type: 'waiting', hosts };
  const machines = yield* sealAgain(connection, seal, ring);
  const isFirst = seal === noSeal;
  // A new hub.
  if (isFirst && machines === 0) return sealingOf(ring);
  const detail = { machines, isFirst };
  yield* audit(connection, now, { actor: { type: 'hub' }, action: 'seal', target: null, detail });
  return sealingOf(ring);
}

/** The state of the seal, read without a lock; `waiting`: `sealKeys` might change it. */
export function* lookAtSeal(connection: Connection, ring: SecretRing): Query<SealState> {
  const seal = ring.find(yield* readKnown(connection));
  if (seal === null) return { type: 'foreign' };
  return seal === ring.wanted ? sealingOf(ring) : { type: 'waiting', hosts: [] };
}

function sealingOf({ wanted }: Pick<SecretRing, 'wanted'>): SealState {
  return { type: wanted === noSeal ? 'plain' : 'sealed' };
}

/** Call it with the lock of the whole store, so that no process starts meanwhile. */
export function* resetSeal(
  connection: Connection,
  now: number,
  { actor }: { readonly actor: AuditParty },
): Query<SealReset> {
  const hosts = yield* hostsOf(connection, () => true);
  if (hosts.length > 0) return { type: 'running', hosts };
  const sql = 'UPDATE machines SET revoked_at = ? WHERE revoked_at IS NULL';
  const machines = yield* connection.run(sql, now);
  // Sealed ones would be taken for keys in clear, and sealed with the next secret.
  yield* connection.run("UPDATE machines SET key = ''");
  yield* connection.run('DELETE FROM answers_under_way');
  yield* connection.run('DELETE FROM key_seal');
  yield* audit(connection, now, { actor, action: 'reset', target: null, detail: { machines } });
  return { type: 'reset', machines };
}

/** Hosts of the other processes of the hub, by what they show. */
function* hostsOf(
  connection: Connection,
  counts: (proofs: string | null) => boolean,
): Query<readonly string[]> {
  const rows = yield* connection.all(
    `SELECT host, proofs FROM process_configs
    WHERE process <> current_setting('application_name')
      AND EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = process)
    ORDER BY host`,
  );
  const counted = rows.filter((row) => counts(read.textOrNull(row, 'proofs')));
  return [...new Set(counted.map((row) => read.text(row, 'host')))];
}

/** Returns how many keys were sealed. What the former seal cannot open belongs to no machine, and stays. */
function* sealAgain(
  connection: Connection,
  former: Pick<KeySeal, 'open'>,
  { wanted, newKnown }: Pick<SecretRing, 'wanted' | 'newKnown'>,
): Query<number> {
  const rows = yield* connection.all('SELECT name, key FROM machines');
  const sealed = rows.flatMap((row) => {
    const name = read.text(row, 'name');
    const key = former.open(name, read.text(row, 'key'));
    return key === null || key === '' ? [] : [{ name, key: wanted.seal(name, key) }];
  });
  const sql = `UPDATE machines SET key = sealed.key
    FROM json_to_recordset(?::json) AS sealed (name text, key text) WHERE machines.name = sealed.name`;
  yield* connection.run(sql, JSON.stringify(sealed));
  yield* connection.run(
    `INSERT INTO key_seal (id, known) VALUES (1, ?)
    ON CONFLICT (id) DO UPDATE SET known = excluded.known, sealed_at = now()`,
    newKnown(),
  );
  return sealed.length;
}
