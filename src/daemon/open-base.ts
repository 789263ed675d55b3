import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { channelCatalog } from '../channels/registry.ts';
import type { Config } from '../config/config.ts';
import { createConfigHolder } from '../config/config-holder.ts';
import { secretReader } from '../config/secrets.ts';
import type { SecretReference } from '../core/channel.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Paths } from '../core/paths.ts';
import type { Warnings } from '../delivery/warnings.ts';
import { StoreError } from '../core/store-aging.ts';
import { ConfigError, HookbellError } from '../platform/errors.ts';
import { createSignal, type Lifecycle } from '../platform/lifecycle.ts';
import { createOutbound } from '../platform/outbound/outbound.ts';
import { systemClock, within } from '../platform/time.ts';
import { createPolicyOfHub } from '../relay/policy-of-hub.ts';
import type { DaemonOrigin } from './announce.ts';
import { createDiskReserve } from './disk-room.ts';
import { createFarFiles } from './far-files/far-file-service.ts';
import type { FileLog } from './daemon-log.ts';
import { type HubSecrets, openOnServer, openOwnStore } from './open-own-store.ts';
import type { Station } from './station.ts';
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
  /** Called when the configuration asks for what only a start can do. */
  readonly requestNewStart: () => void;
  /** Takes requests of the command line by these routes; null: the daemon ends. */
  readonly serve: Station['serve'];
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
  { paths, env, requestNewStart }: Pick<DaemonOptions, 'paths' | 'env' | 'requestNewStart'>,
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
    hubSecrets: hub === null ? null : await readHubSecrets(hub, readSecret),
    onWork,
    log,
    diskReserve,
    warnings,
  });
  lifecycle.onStop('store', () => own.store.close());
  function startAnew(reason: string): void {
    log.info({ reason }, 'Restarting');
    requestNewStart();
  }
  /** Why the configuration needs a new start; null: it does not. */
  function whyAnew(next: Config): string | null {
    if (!isDeepStrictEqual(next.store, place)) return 'The configuration names another store';
    const isReplaced = !isDeepStrictEqual(next.hub?.secret, hub?.secret);
    const previous = next.hub?.previousSecret ?? null;
    // Without a previous one, nothing changes before the next start.
    if (isReplaced || (previous !== null && !isDeepStrictEqual(previous, hub?.previousSecret)))
      return 'The configuration names another secret of the hub';
    return (next.hub === null) === isPlain ? null : 'The configuration turns the hub on or off';
  }
  // The store in use serves until the next one has been opened once.
  config.proveBy(async (next) => {
    const why = whyAnew(next);
    return why === null ? null : whyNotUsable(next, readSecret, log);
  });
  config.onChange((next) => {
    const why = whyAnew(next);
    if (why !== null) startAnew(why);
  });
  return { ...own, diskReserve, files, config, policyOfHub, outbound, readSecret };
}

/** A database that takes longer is as good as none, ms. */
const PROOF_MS = 10_000;

/** Opens the store that a configuration names, and closes it: why a start would fail, or null. */
async function whyNotUsable(
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
async function readHubSecrets(
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
