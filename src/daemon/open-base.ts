import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { channelCatalog } from '../channels/registry.ts';
import type { Config } from '../config/config.ts';
import { createConfigHolder } from '../config/config-holder.ts';
import { secretReader } from '../config/secrets.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Paths } from '../core/paths.ts';
import type { Warnings } from '../delivery/warnings.ts';
import { createSignal, type Lifecycle } from '../platform/lifecycle.ts';
import { createOutbound } from '../platform/outbound/outbound.ts';
import { systemClock } from '../platform/time.ts';
import { createPolicyOfHub } from '../relay/policy-of-hub.ts';
import type { DaemonOrigin } from './announce.ts';
import { createDiskReserve } from './disk-room.ts';
import { createFarFiles } from './far-files/far-file-service.ts';
import type { FileLog } from './daemon-log.ts';
import { openOwnStore } from './open-own-store.ts';
import { readHubSecrets, whyNotUsable } from './prove-start.ts';
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
