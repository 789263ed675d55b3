import { channelCatalog } from '../channels/registry.ts';
import type { Config } from '../config/config.ts';
import { loadValidConfig } from '../config/load.ts';
import { secretReader } from '../config/secrets.ts';
import type { SecretReference } from '../core/channel.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Paths } from '../core/paths.ts';
import { StoreError } from '../core/store-aging.ts';
import { ConfigError, HookbellError } from '../platform/errors.ts';
import { within } from '../platform/time.ts';
import { refuseNewerDatabase } from '../setup/upgrade/newer-database.ts';
import { loadDriver } from '../store/sqlite/driver.ts';
import type { FileLog } from './daemon-log.ts';
import { type HubSecrets, openOnServer } from './open-own-store.ts';

/**
 * Proves that a daemon of this program would start, while an earlier one serves: the program is complete, takes the
 * configuration, and knows the store. Takes no lock, and changes nothing: the earlier daemon still uses that store.
 *
 * @throws HookbellError, and StoreError as the start would
 */
export async function proveStart(paths: Paths, env: Environment): Promise<void> {
  await import('./run-daemon.ts');
  const { store, hub } = await loadValidConfig(paths.config, { catalog: channelCatalog });
  const readSecret = secretReader(paths.config, env);
  if (hub !== null) await readHubSecrets(hub, readSecret);
  if (store === null) {
    await refuseNewerDatabase(paths);
    const open = await loadDriver();
    open(':memory:').close();
    return;
  }
  const { refuseNewerServer } = await import('../store/postgres/open-server-store.ts');
  await refuseNewerServer(await readSecret(store.postgres.url));
}

/** A database that takes longer is as good as none, ms. */
const PROOF_MS = 10_000;

/** Opens the store that a configuration names, and closes it: why a start would fail, or null. */
export async function whyNotUsable(
  { store, hub }: Pick<Config, 'store' | 'hub'>,
  readSecret: (reference: SecretReference) => Promise<string>,
  log: FileLog,
): Promise<string | null> {
  async function open(): Promise<true> {
    const hubSecrets = hub === null ? null : await readHubSecrets(hub, readSecret);
    // The file of this machine is always there.
    if (store === null) return true;
    const opened = await openOnServer(() => readSecret(store.postgres.url), hubSecrets, { log });
    await opened.store.close();
    return true;
  }
  try {
    const isOpened = await within(open(), PROOF_MS);
    return isOpened === null ? `the database does not answer within ${PROOF_MS / 1_000} s` : null;
  } catch (error) {
    if (error instanceof HookbellError || error instanceof StoreError) return error.message;
    throw error;
  }
}

/** @throws ConfigError if one cannot be read, or is too short */
export async function readHubSecrets(
  { secret, previousSecret }: Pick<NonNullable<Config['hub']>, 'secret' | 'previousSecret'>,
  readSecret: (reference: SecretReference) => Promise<string>,
): Promise<HubSecrets> {
  const current = await readHubSecret('hub.secret', secret, readSecret);
  const previous = await readHubSecret('hub.previous_secret', previousSecret, readSecret);
  if (current !== null && current === previous) {
    throw new ConfigError('hub.secret and hub.previous_secret are the same', {
      hint: 'Make a new one with: openssl rand -base64 32',
    });
  }
  return { current, previous };
}

/** Shorter ones could be guessed from a dump of the database. */
const SECRET_CHARACTERS = 32;

async function readHubSecret(
  name: string,
  reference: SecretReference | null,
  readSecret: (reference: SecretReference) => Promise<string>,
): Promise<string | null> {
  if (reference === null) return null;
  const secret = await readSecret(reference);
  if (secret.length >= SECRET_CHARACTERS) return secret;
  throw new ConfigError(
    `${name} has ${secret.length} characters, expected at least ${SECRET_CHARACTERS}`,
    { hint: 'Make one with: openssl rand -base64 32' },
  );
}
