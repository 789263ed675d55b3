import type { Client } from 'pg';

import { StoreError } from '../../../core/store-aging.ts';
import type { KeySeal } from './key-seal.ts';

/** Stands for the name of a machine; none can have it. */
const CHECK = ' check';
const KNOWN = 'hookbell';

/**
 * Seals the keys that are not sealed yet, in one transaction, and checks that all processes of the hub have one secret.
 *
 * @param seal null: the hub has no secret
 * @param space the key of the store's advisory locks
 * @throws StoreError if the keys are sealed by another secret
 */
export async function sealKeys(
  client: Pick<Client, 'query'>,
  {
    seal,
    space,
    place,
  }: { readonly seal: KeySeal | null; readonly space: number; readonly place: string },
): Promise<void> {
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${space})`);
  try {
    const { rows } = await client.query<{ readonly known: string }>('SELECT known FROM key_seal');
    const known = rows[0]?.known;
    if (known !== undefined && seal === null) {
      throw refusal(
        place,
        'the keys of machines are sealed: "hub.secret" of the configuration is missing',
      );
    }
    if (known !== undefined && seal?.open(CHECK, known) !== KNOWN) {
      throw refusal(
        place,
        'the keys of machines are sealed with another secret: "hub.secret" must be the same for each process of the hub',
      );
    }
    if (known === undefined && seal !== null) await sealAll(client, seal);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function sealAll(client: Pick<Client, 'query'>, seal: KeySeal): Promise<void> {
  const { rows } = await client.query<{ readonly name: string; readonly key: string }>(
    'SELECT name, key FROM machines',
  );
  const sealed = rows.map(({ name, key }) => ({ name, key: seal.seal(name, key) }));
  await client.query(
    `UPDATE machines SET key = sealed.key
    FROM json_to_recordset($1::json) AS sealed (name text, key text) WHERE machines.name = sealed.name`,
    [JSON.stringify(sealed)],
  );
  await client.query('INSERT INTO key_seal (id, known) VALUES (1, $1)', [seal.seal(CHECK, KNOWN)]);
}

function refusal(place: string, reason: string): StoreError {
  return new StoreError('io', `Cannot use the database ${place}: ${reason}`);
}
