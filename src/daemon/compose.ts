/*
 * The running process: which parts there are, their order, their start and stop, and the beats between. Parts get each
 * other here and nowhere else. Rules about events, and anything that only the command line needs, never enter.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';

import { presenceHere } from '../attention/presence-sources.ts';
import type { Config } from '../config/config.ts';
import type { ConfigHolder } from '../config/config-holder.ts';
import { secretVariables } from '../config/secret-places.ts';
import { launchEnvironment } from '../core/launch-environment.ts';
import { within } from '../platform/time.ts';
import { environmentFacts } from '../setup/install-recorder.ts';
import { createApiClient } from '../vendor/api-client.ts';
import { createLookUps } from '../vendor/look-ups.ts';
import { announce } from './announce.ts';
import { lockFile } from './lock.ts';
import { countRequests, familiesOf } from './metrics/counters.ts';
import { createAsking } from './parts/asking-parts.ts';
import { createBase, type DaemonOptions, reconfigured } from './parts/base-parts.ts';
import { createDelivery } from './parts/delivery-parts.ts';
import { createIncoming } from './parts/incoming-parts.ts';
import { createSurface } from './parts/surface-parts.ts';
import { createProjects } from './projects.ts';
import { createStatusFiles } from './status-files.ts';
import { createPulse } from './pulse.ts';

/** How long messages wait for what the spool holds at the start, ms: some 15,000 events. */
const BACKLOG_MS = 5_000;

/**
 * Creates the parts of the daemon, each after what it needs, and starts them; the lifecycle stops them in the reverse
 * order. A part that takes new configurations says so where it is created. Early parts reach later ones by signals.
 */
export async function compose(options: DaemonOptions): Promise<ConfigHolder> {
  const { log, lifecycle, paths } = options;
  const base = await createBase(options);
  const { now, warnings, signals, policyOfHub, config, configHolder, store } = base;

  // The vendor's service: one client for everything that asks it.
  const requests = countRequests();
  const api = createApiClient({ ...base, middleware: [requests.middleware] });
  const lookUps = createLookUps({ config: config(), api, now, log });
  reconfigured(configHolder, lookUps, () => lookUps.readSecretsAgain());

  // Whether the person is here, and what their repositories say.
  const presenceEnd = new AbortController();
  lifecycle.onStop('presence', () => presenceEnd.abort());
  const presence = presenceHere({ ...base, signal: presenceEnd.signal });
  const projects = createProjects({ ...base, trusted: paths.trustedProjects });

  // Requests of agents, and the ways to answer them.
  const asking = createAsking({ ...base, presence, delivery: () => delivery });
  const { questions, words, hub, answers } = asking;

  // From the outbox to the channels.
  const delivery = await createDelivery(base, { api, presence, projects, lookUps, asking });
  reconfigured(configHolder, delivery);
  for (const signal of [signals.committed, signals.due, signals.elsewhere]) {
    signal.on(() => delivery.wake());
  }
  warnings.connect((notification) => delivery.sendNow(notification));

  // From agents, other machines and the service to the store; then what people see and use.
  const incoming = createIncoming(base, { api, projects, asking, delivery });
  const { waiting, turns, witnesses, times, housekeeping, intake, remote, seen, sources } =
    incoming;
  const surface = createSurface(base, {
    api,
    lookUps,
    presence,
    asking,
    delivery,
    incoming,
    counted: () => familiesOf([base, requests, waiting, remote, hub]),
  });
  const { endpoints, teamPage, popUps, callers, routes } = surface;

  const statusFiles = createStatusFiles({ store, folder: join(paths.state, 'line'), now, log });
  for (const signal of [signals.committed, signals.due, signals.questionsChanged]) {
    signal.on(() => statusFiles.changed());
  }

  // What no event announces is looked at on the beats of one clock.
  const pulse = createPulse({
    isActive: async () =>
      (await store.sessions.list({ limit: 1, states: ['working', 'waiting'] })).length > 0,
    log,
  });
  signals.committed.on(() => pulse.stir());
  pulse.onBeat('spool', () => intake.beat());
  pulse.onBeat('configuration', () => configHolder.beat());
  pulse.onBeat('answers', () => answers.look());
  pulse.onBeat('failed turns', () => turns.look());
  pulse.onBeat('records of sessions', () => witnesses.beat());
  pulse.onBeat('rounds and limits', (plannedMs) => times.beat(plannedMs));
  pulse.onBeat('line for bars', () => statusFiles.changed());
  pulse.onBeat('waiting time', (plannedMs) => waiting.tick(plannedMs));
  pulse.onBeat('housekeeping', async () => {
    if (await housekeeping.beat()) pulse.stir();
  });

  // What sends is started first and stopped last; agents' events come in once everything is ready for them.
  const parts = {
    ...(hub !== null && { hub }),
    waiting,
    endpoints,
    popUps,
    questions,
    words,
    lookUps,
    delivery,
    housekeeping,
    intake,
    witnesses,
    teamPage,
    remote,
    seen,
    policyOfHub: { ...policyOfHub, start: () => policyOfHub.start(remote.askHub) },
    sources,
    callers,
    statusFiles,
    pulse,
    ...(hub !== null && { drain: hub.drain }),
  };
  for (const [name, part] of Object.entries(parts)) await lifecycle.run(name, part);
  // What was answered while no daemon ran is not to be asked for again.
  void within(intake.drain(), BACKLOG_MS).then(() => delivery.begin());
  configHolder.watch(() => delivery.hasBroken());
  lifecycle.onStop('config', () => configHolder.stop());
  options.serve(routes);
  lifecycle.onStop('control', () => options.serve(null));
  const recorded = recordedBy(options, config());
  announce({ ...options, recorded, lock: lockFile(paths), pulse });
  return configHolder;
}

/**
 * How hooks start the next daemon: as a command has recorded it. What a person or supervisor runs in the foreground with
 * settings of its own becomes the record, or a hook would start one with other settings after a kill. A hub has no hooks,
 * and its secrets need not lie on this disk.
 */
function recordedBy(
  { startedBy, recorded, paths, env }: DaemonOptions,
  { hub, raw }: Config,
): DaemonOptions['recorded'] {
  if (startedBy !== 'terminal' || hub !== null) return recorded;
  const environment = launchEnvironment({
    env,
    paths,
    home: homedir(),
    platform: process.platform,
    secretNames: secretVariables(raw),
    previous: recorded?.environment ?? null,
    facts: environmentFacts,
  });
  return { environment, manager: recorded?.manager ?? null };
}
