import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { channelCatalog } from '../../channels/registry.ts';
import type { Config } from '../../config/config.ts';
import {
  type ConfigHolder,
  type ConfigListener,
  createConfigHolder,
} from '../../config/config-holder.ts';
import { secretReader } from '../../config/secrets.ts';
import type { Reaction } from '../../core/channel.ts';
import type { Environment } from '../../core/launch-environment.ts';
import type { Paths } from '../../core/paths.ts';
import { createWarnings } from '../../delivery/warnings.ts';
import { timeOrderedId } from '../../platform/crypto.ts';
import { createSignal, type Lifecycle } from '../../platform/lifecycle.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { systemClock } from '../../platform/time.ts';
import { createPolicyOfHub } from '../../relay/policy-of-hub.ts';
import type { DaemonOrigin } from '../announce.ts';
import type { FileLog } from '../daemon-log.ts';
import { createDiskReserve } from '../disk-room.ts';
import { createFarFiles } from '../far-files/far-file-service.ts';
import { openOwnStore } from '../open-own-store.ts';
import { readHubSecrets, whyNotUsable } from '../prove-start.ts';
import type { Station } from '../station.ts';
import { transcriptTails, transcriptTitles } from '../transcripts/transcript-title.ts';
import { configWarning, restartWarning } from '../warning-texts.ts';

export interface DaemonOptions extends DaemonOrigin {
  readonly paths: Paths;
  readonly env: Environment;
  readonly version: string;
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
  /** Unix ms. */
  readonly startedAt: number;
  readonly log: FileLog;
  readonly lifecycle: Lifecycle;
}

/** What every part may use: a part takes it whole, and names what is particular to it beside. */
export type Base = Awaited<ReturnType<typeof createBase>>;

/** Notices from parts created early to parts created later. */
function createSignals() {
  return {
    /** Events were committed. */
    committed: createSignal(),
    /** Deliveries may be due, by something that a person or a process did. */
    due: createSignal(),
    /** Another process on the same database may have left something to send. */
    elsewhere: createSignal(),
    /** A request of this machine is held, answered, or no longer held. */
    questionsChanged: createSignal(),
    /** What the page shows may have changed. */
    pageChanged: createSignal(),
    /** The disk has room again. */
    hasRoom: createSignal(),
    /** A person reacted to a notification. */
    reactions: createSignal<[channel: string, reaction: Reaction]>(),
  };
}

/** Opens what every part needs: the store, files, the configuration, connections to the outside. */
export async function createBase(options: DaemonOptions) {
  const { paths, env, restartedBecause, log, lifecycle } = options;
  // The store brings its own clock: with several processes, that of the database.
  let clock = systemClock;
  const now = (): number => clock();
  const newId = (): string => timeOrderedId(now(), randomBytes(10));
  const warnings = createWarnings({ now, newId, log });
  if (restartedBecause !== null) warnings.raise('restart', restartWarning(restartedBecause));
  const signals = createSignals();

  const diskReserve = createDiskReserve(join(paths.state, 'ballast'));
  const responds = createSignal();
  const files = createFarFiles({
    warnings,
    now: systemClock,
    state: paths.state,
    chosen: [paths.state, paths.config, homedir()],
    onAnswers: responds.emit,
  });
  lifecycle.onStop('far files', () => files.stop());
  const configHolder = await createConfigHolder({
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
  configHolder.onChange(() => warnings.clear('config'));
  const policyOfHub = createPolicyOfHub({
    path: paths.hubPolicy,
    config: configHolder,
    warnings,
    now: systemClock,
    log,
  });
  await policyOfHub.resume();
  // A channel that could not be set up without these files can be now.
  responds.on(() => void configHolder.reload());
  const config = (): Config => configHolder.current();
  const outbound = createOutbound({ env, authorities: () => config().authorities });
  lifecycle.onStop('connections', () => outbound.close());
  const readSecret = secretReader(paths.config, env, files);
  const { store: place, hub } = config();
  const own = await openOwnStore({
    path: paths.database,
    readPostgresUrl: place === null ? null : () => readSecret(place.postgres.url),
    hubSecrets: hub === null ? null : await readHubSecrets(hub, readSecret),
    onWork: signals.elsewhere.emit,
    log,
    diskReserve,
    warnings,
  });
  lifecycle.onStop('store', () => own.store.close());
  clock = own.now;
  // The store in use serves until the next one has been opened once.
  configHolder.proveBy(async (next) =>
    whyStartAnew({ store: place, hub }, next) === null ? null : whyNotUsable(next, readSecret, log),
  );
  configHolder.onChange((next) => {
    const reason = whyStartAnew({ store: place, hub }, next);
    if (reason === null) return;
    log.info({ reason }, 'Restarting');
    options.requestNewStart();
  });
  const user = { files, home: homedir(), uid: process.geteuid?.() ?? null };
  return {
    ...options,
    ...own,
    ...user,
    diskReserve,
    policyOfHub,
    outbound,
    readSecret,
    config,
    configHolder,
    programChannels: (): readonly string[] => config().policy.programChannels,
    readTranscriptTitle: transcriptTitles(user),
    readTail: transcriptTails(user),
    platform: process.platform,
    now,
    newId,
    warnings,
    signals,
  };
}

type StartedWith = Pick<Config, 'store' | 'hub'>;

/** Why a configuration needs a new start; null: it does not. */
function whyStartAnew({ store, hub }: StartedWith, next: StartedWith): string | null {
  if (!isDeepStrictEqual(next.store, store)) return 'The configuration names another store';
  const isReplaced = !isDeepStrictEqual(next.hub?.secret, hub?.secret);
  const previous = next.hub?.previousSecret ?? null;
  // Without a previous one, nothing changes before the next start.
  if (isReplaced || (previous !== null && !isDeepStrictEqual(previous, hub?.previousSecret)))
    return 'The configuration names another secret of the hub';
  return (next.hub === null) === (hub === null)
    ? null
    : 'The configuration turns the hub on or off';
}

/** Gives a part each new configuration, and each new value of a secret. Returns the part. */
export function reconfigured<Part extends { reconfigure: ConfigListener }>(
  holder: Pick<ConfigHolder, 'onChange' | 'onSecrets'>,
  part: Part,
  onSecrets: ConfigListener | null = part.reconfigure,
): Part {
  holder.onChange((next) => part.reconfigure(next));
  if (onSecrets !== null) holder.onSecrets(onSecrets);
  return part;
}
