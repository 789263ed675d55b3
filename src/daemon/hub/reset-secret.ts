import { setTimeout as delay } from 'node:timers/promises';

import { channelCatalog } from '../../channels/registry.ts';
import { loadValidConfig } from '../../config/load.ts';
import { secretReader } from '../../config/secrets.ts';
import type { Paths } from '../../core/paths.ts';
import { ConfigError, FailedError } from '../../platform/errors.ts';
import { administrator } from './hub-parts.ts';

/** The server notices within this that a process is gone. */
const TRIES = 10;
const REST_MS = 300;

/**
 * Revokes all machines of the hub and removes the seal of their keys, so that a process with another secret can start.
 *
 * @returns how many machines could send until now
 * @throws ConfigError, StoreError, and FailedError while a process of the hub is connected to the database
 */
export async function resetSecret(paths: Paths, env: NodeJS.ProcessEnv): Promise<number> {
  const { store: place, hub: section } = await loadValidConfig(paths.config, {
    catalog: channelCatalog,
  });
  if (place === null || section === null) {
    throw new ConfigError(`"${paths.config}" is not the configuration of a hub`);
  }
  const url = await secretReader(paths.config, env)(place.postgres.url);
  // The bundle loads what this module imports with every daemon.
  const { openServerStore } = await import('../../store/postgres/open-server-store.ts');
  const { store, hub } = await openServerStore({ url });
  try {
    for (let tries = 1; ; tries += 1) {
      const reset = await hub.resetSeal({ actor: administrator() });
      if (reset.type === 'reset') return reset.machines;
      if (tries === TRIES) {
        throw new FailedError(
          `A process of the hub still runs on ${reset.hosts.map((host) => `"${host}"`).join(', ')}`,
          { hint: 'Nothing was changed: stop all processes first' },
        );
      }
      await delay(REST_MS);
    }
  } finally {
    await store.close();
  }
}
