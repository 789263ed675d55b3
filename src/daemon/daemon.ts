import { homedir } from 'node:os';
import { join } from 'node:path';

import { releaseDue } from '../alerts/fire.ts';
import { channelDefinitions } from '../channels/registry.ts';
import { secretReader } from '../config/read-secret.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Paths } from '../core/paths.ts';
import { unknownPresence } from '../core/policy.ts';
import { askRunning } from '../delivery/ask-running.ts';
import { systemClock, systemTimer } from '../platform/time.ts';
import { createIntake } from '../intake/intake.ts';
import { createOutbound } from '../platform/outbound/outbound.ts';
import { timeOrderedId } from '../platform/crypto.ts';
import { announce, type Origin } from './announce.ts';
import { createAnswerWatch } from './answer-watch.ts';
import { createApiClient } from '../vendor/api-client.ts';
import { completeEvents } from './complete-events.ts';
import { type ConfigHolder, createConfigHolder } from '../config/config-holder.ts';
import { controlRoutes } from '../control/routes.ts';
import { listenForControl } from '../control/server.ts';
import { createDecide, createRandomPool } from './decide-now.ts';
import { startDelivery } from './delivery.ts';
import { ballastAt } from './disk-room.ts';
import { createEndpoints } from './endpoints.ts';
import { createFarFiles } from './far-files/far-files.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import { lockFile } from './lock.ts';
import type { FileLog } from './log.ts';
import { createLookUps } from '../vendor/look-ups.ts';
import { countRequests } from './metrics/tallies.ts';
import { openOwnStore } from './open-own-store.ts';
import { dependsOnPresence, presenceHere } from '../attention/presence-sources.ts';
import { createProjects } from './projects.ts';
import { bringForwardHere, reactionsHere } from '../reply/reactions.ts';
import { createRemote } from '../relay/remote.ts';
import { createReplyDesk } from '../reply/reply-desk.ts';
import { createSources } from '../vendor/pollers/run-pollers.ts';
import { spoolCounter } from './spool-counts.ts';
import type { StatusSources } from '../control/status.ts';
import { transcriptTitles } from './transcript-title.ts';
import {
  circuitWarnings,
  configWarning,
  missingWarnings,
  restartWarning,
} from './warning-texts.ts';
import { createWarnings } from '../delivery/warnings.ts';

export interface DaemonOptions extends Origin {
  readonly paths: Paths;
  readonly env: Environment;
  readonly version: string;
  /** Also log to standard error. */
  readonly foreground: boolean;
  /** Somebody asked over the control socket that the daemon ends. */
  readonly requestStop: () => void;
  /** It cannot go on as it is, and would be well again after a stop and a start. */
  readonly requestRestart: (reason: string) => void;
  /** The reason of the restart that this start belongs to, if it does. */
  readonly restartedBecause: string | null;
}

/** Sends in flight may take so long to end when the daemon stops, ms. */
const SEND_GRACE_MS = 4_000;

/** What every part stands on. */
export interface Foundation {
  readonly startedAt: number;
  readonly log: FileLog;
  readonly lifecycle: Lifecycle;
}

/** Puts the parts together and starts them; what was started is stopped by the lifecycle. */
export async function startParts(
  options: DaemonOptions,
  { startedAt, log, lifecycle }: Foundation,
): Promise<{ readonly config: ConfigHolder }> {
  const { paths, env, version, requestStop, restartedBecause } = options;
  const now = systemClock;
  const random = createRandomPool();
  const newId = (): string => timeOrderedId(now(), random(10));
  const warnings = createWarnings({ now, newId, log });

  if (restartedBecause !== null) warnings.raise('restart', restartWarning(restartedBecause));
  const ballast = ballastAt(join(paths.state, 'ballast'));
  const { store, committed, families } = await openOwnStore({
    path: paths.database,
    now,
    log,
    ballast,
    warnings,
  });
  const requests = countRequests();
  lifecycle.onStop('store', () => store.close());

  const files = createFarFiles({
    warnings,
    now,
    state: paths.state,
    // What could not be set up meanwhile is set up now.
    onAnswers: () => void config.reload(),
  });
  lifecycle.onStop('far files', () => files.stop());

  const config = await createConfigHolder({
    path: paths.config,
    lastGood: paths.lastConfig,
    files,
    definitions: channelDefinitions,
    now,
    log,
    async onTaken(next) {
      warnings.clear('config');
      await lookUps.reconfigure(next);
      await delivery.reconfigure(next);
      sources.reconfigure();
      await remote.reconfigure();
      housekeeping.reconfigure(next);
      await endpoints.reconfigure(next);
    },
    onMended: () => warnings.clear('config'),
    onRefused: (problems) => warnings.raise('config', configWarning(paths.config, problems)),
    env,
    lacksSecret: () => delivery.hasBroken(),
    async onSecrets(same) {
      await lookUps.readSecretsAgain();
      await delivery.reconfigure(same);
      sources.reconfigure();
      await remote.reconfigure();
    },
  });
  const presence = presenceHere({ env, platform: process.platform, now });
  const readSecret = secretReader(paths.config, env, files);
  const outbound = createOutbound({ env, authorities: () => config.current().authorities });
  lifecycle.onStop('connections', () => outbound.close());
  const asking = { config: () => config.current(), outbound, now, log };
  const api = createApiClient({ ...asking, readSecret, middleware: [requests.middleware] });
  const lookUps = createLookUps({ ...asking, api, config: config.current() });
  const own = { files, home: homedir(), uid: process.geteuid?.() ?? null };
  const projects = createProjects({ ...own, trusted: paths.trustedProjects });
  const status: StatusSources = {
    version,
    startedAt,
    now,
    store,
    config,
    channels: () => delivery.channels(),
    spool: spoolCounter(paths),
    api: () => lookUps.state(),
    heartbeat: () => housekeeping.heartbeat(),
    remote: () => remote,
    endpoints: () => endpoints.view(),
    warnings: () => warnings.list(),
  };
  const redact = (text: string): string => delivery.redaction().textFor(null)(text);
  const counted = () => [...families(), ...requests.families()];
  const endpoints = createEndpoints({
    config: () => config.current(),
    metrics: { status, store, paths, counted },
    replies: {
      store,
      texts: (entry) => delivery.texts(entry),
      redact,
      desk: createReplyDesk({ api, paths, now, log }),
      now,
    },
    ports: paths.ports,
    warnings,
    log,
  });
  await endpoints.reconfigure(config.current());
  lifecycle.onStop('endpoints', () => endpoints.stop());
  const parts = { store, outbound, paths, env, now, log };
  const here = { store, endpoints, lifecycle, paths, env, now, newId, log };
  const answers = createAnswerWatch({
    ...own,
    store,
    programChannels: () => config.current().policy.programChannels,
    now,
    log,
    onAnswered: () => delivery.wake(),
  });
  const delivery = await startDelivery({
    config: config.current(),
    labelOf: (directory) => projects.of(directory)?.label ?? null,
    ...parts,
    api,
    files,
    readSecret,
    onCircuitChange: circuitWarnings(warnings),
    onMissing: missingWarnings(warnings),
    decideDue: (seen, at) => (memory) =>
      releaseDue(memory, { policy: config.current().policy, ...seen, now: at }),
    onReaction: reactionsHere({
      ...here,
      channels: () => delivery.channels(),
      programChannels: () => config.current().policy.programChannels,
      wake: () => delivery.wake(),
    }),
    look: async (sessions) =>
      dependsOnPresence(config.current().policy) ? presence.look(sessions) : () => unknownPresence,
    askRunning: async (sessions) => {
      const lookUp = lookUps.current();
      if (lookUp === null || config.current().policy.holdStop === null) return () => 'unknown';
      return askRunning(sessions, { lookUp, now, startTimer: systemTimer });
    },
    lookForAnswers: async (sessions) => void (await answers.look(sessions)),
    makeReplyLink: (claimed) => endpoints.makeReplyLink(claimed),
    lookUp: () => lookUps.current(),
    readTranscriptTitle: transcriptTitles(own),
  });
  answers.start();
  lifecycle.onStop('answers', () => answers.stop());
  lifecycle.onStop('look-ups', () => lookUps.stop());
  lifecycle.onStop('delivery', () => delivery.stop({ graceMs: SEND_GRACE_MS }));
  warnings.connect((notification) => delivery.tellAtOnce(notification));

  const doors = {
    ...asking,
    api,
    files,
    readSecret,
    paths,
    store,
    decide: createDecide({ config, projects, now, newId }),
    prepare: (record: HookRecord) => delivery.redaction().record(record),
    onCommitted: () => {
      delivery.wake();
      remote.wake();
      housekeeping.historyGrew();
    },
    warnings,
  };
  const remote = createRemote(doors);
  const intake = createIntake({
    ...doors,
    spool: paths.spool,
    quarantine: paths.quarantine,
    look: completeEvents({ ...own, projects, prepare: doors.prepare }),
    onTrouble: (trouble) => {
      if (trouble === null) return warnings.clear('intake');
      warnings.raise('intake', `Events wait in the spool: ${trouble.message}`);
      if (trouble.code === 'full') void housekeeping.diskIsFull();
    },
  });
  const housekeeping = startHousekeeping({
    ...parts,
    config,
    ballast,
    warnings,
    readSecret,
    onRoom: () => void intake.drain(),
    onSessionEnded: () => delivery.wake(),
  });
  lifecycle.onStop('housekeeping', () => housekeeping.stop());
  intake.start();
  lifecycle.onStop('intake', () => intake.stop());

  await remote.start();
  lifecycle.onStop('other machines', () => remote.stop());
  const sources = createSources(doors);
  sources.start();
  lifecycle.onStop('sources', () => sources.stop());

  config.watch();
  lifecycle.onStop('config', () => config.stop());
  const control = await listenForControl({
    socket: paths.socket,
    token: paths.token,
    log,
    routes: controlRoutes({
      store,
      config,
      channels: () => delivery.channels(),
      texts: (entry) => delivery.texts(entry),
      redact,
      presence,
      checkApi: () => lookUps.check(),
      checkRelay: () => remote.check(),
      sendDigest: () => sources.sendDigest(),
      wake: () => delivery.wake(),
      bringForward: bringForwardHere(here),
      newId,
      stop: requestStop,
      committed,
      metrics: () => endpoints.readMetrics(),
      status,
    }),
  });
  lifecycle.onStop('control', () => control.close());
  announce({ ...options, lock: lockFile(paths), log, lifecycle });
  return { config };
}
