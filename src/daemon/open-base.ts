import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { channelCatalog } from '../channels/registry.ts';
import { createConfigHolder } from '../config/config-holder.ts';
import { secretReader } from '../config/secrets.ts';
import type { SecretReference } from '../core/channel.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Paths } from '../core/paths.ts';
import type { Warnings } from '../delivery/warnings.ts';
import { ConfigError } from '../platform/errors.ts';
import { createSignal, type Lifecycle } from '../platform/lifecycle.ts';
import { createOutbound } from '../platform/outbound/outbound.ts';
import { systemClock } from '../platform/time.ts';
import { createPolicyOfHub } from '../relay/policy-of-hub.ts';
import type { DaemonOrigin } from './announce.ts';
import { createDiskReserve } from './disk-room.ts';
import { createFarFiles } from './far-files/far-file-service.ts';
import type { FileLog } from './daemon-log.ts';
import { openOwnStore } from './open-own-store.ts';
import { configWarning } from './warning-texts.ts';

export interface DaemonOptions extends DaemonOrigin {
  readonly paths: Paths;
  readonly env: Environment;
  readonly version: string;
  /** Also log to standard error. */
  readonly foreground: boolean;
  /** Called when a request over the control socket ends the daemon. */
  readonly requestStop: () => void;
  /** Called when the daemon cannot continue, but a stop and a start would help. */
  readonly requestRestart: (reason: string) => void;
  /** The reason of the restart that this start belongs to, if it does. */
  readonly restartedBecause: string | null;
}

/** Every part depends on these. */
export interface Foundation {
  readonly startedAt: number;
  readonly log: FileLog;
  readonly lifecycle: Lifecycle;
}

/** Opens what every part needs: the store, files, the configuration, connections to the outside. */
export async function openBase(
  { paths, env, requestRestart }: Pick<DaemonOptions, 'paths' | 'env' | 'requestRestart'>,
  {
    warnings,
    log,
    lifecycle,
    onWork,
  }: Omit<Foundation, 'startedAt'> & {
    readonly warnings: Warnings;
    /** Called when another process may have left something to send. */
    readonly onWork: () => void;
  },
) {
  const diskReserve = createDiskReserve(join(paths.state, 'ballast'));
  const responds = createSignal();
  const files = createFarFiles({
    warnings,
    now: systemClock,
    state: paths.state,
    onAnswers: responds.emit,
  });
  lifecycle.onStop('far files', () => files.stop());
  const config = await createConfigHolder({
    path: paths.config,
    lastGood: paths.lastConfig,
    catalog: channelCatalog,
    files,
    env,
    now: systemClock,
    log,
    onMended: () => warnings.clear('config'),
    onRefused: (problems) => warnings.raise('config', configWarning(paths.config, problems)),
  });
  config.onChange(() => warnings.clear('config'));
  const policyOfHub = createPolicyOfHub({
    path: paths.hubPolicy,
    config,
    warnings,
    now: systemClock,
    log,
  });
  await policyOfHub.resume();
  // A channel that could not be set up without these files can be now.
  responds.on(() => void config.reload());
  const outbound = createOutbound({ env, authorities: () => config.current().authorities });
  lifecycle.onStop('connections', () => outbound.close());
  const readSecret = secretReader(paths.config, env, files);
  const { store: place, hub } = config.current();
  const isPlain = hub === null;
  const own = await openOwnStore({
    path: paths.database,
    readPostgresUrl: place === null ? null : () => readSecret(place.postgres.url),
    hubSecret: hub === null ? undefined : await readHubSecret(hub.secret, readSecret),
    onWork,
    log,
    diskReserve,
    warnings,
  });
  lifecycle.onStop('store', () => own.store.close());
  config.onChange((next) => {
    if (!isDeepStrictEqual(next.store, place))
      requestRestart('The configuration names another store');
    if (!isDeepStrictEqual(next.hub?.secret, hub?.secret))
      requestRestart('The configuration names another secret of the hub');
    if ((next.hub === null) !== isPlain)
      requestRestart('The configuration turns the hub on or off');
  });
  return { ...own, diskReserve, files, config, policyOfHub, outbound, readSecret };
}

/** Shorter ones could be guessed from a dump of the database. */
const SECRET_CHARACTERS = 32;

/** @throws ConfigError if it cannot be read, or is too short */
async function readHubSecret(
  reference: SecretReference | null,
  readSecret: (reference: SecretReference) => Promise<string>,
): Promise<string | null> {
  if (reference === null) return null;
  const secret = await readSecret(reference);
  if (secret.length >= SECRET_CHARACTERS) return secret;
  throw new ConfigError(
    `hub.secret has ${secret.length} characters, expected at least ${SECRET_CHARACTERS}`,
    { hint: 'Make one with: openssl rand -base64 32' },
  );
}
