import { homedir } from 'node:os';
import { join } from 'node:path';

import { agentProcesses } from '../agents/registry.ts';
import { presenceHere } from '../attention/presence-sources.ts';
import type { ConfigHolder } from '../config/config-holder.ts';
import { createCallerCheck } from '../control/caller.ts';
import { controlRoutes } from '../control/control-routes.ts';
import { askRoutes, type ControlRoutes, listenForControl } from '../control/control-server.ts';
import type { StatusSources } from '../control/status-view.ts';
import type { Reaction } from '../core/channel.ts';
import type { HistoryEntry } from '../core/history.ts';
import type { HookRecord } from '../core/hook-event.ts';
import { createWarnings } from '../delivery/warnings.ts';
import { createIntake } from '../intake/intake.ts';
import { timeOrderedId } from '../platform/crypto.ts';
import { createSignal } from '../platform/lifecycle.ts';
import { systemClock } from '../platform/time.ts';
import { createRemote } from '../relay/remote-links.ts';
import { createSeenAtHub } from '../relay/seen-at-hub.ts';
import { bringForwardHere, reactionsHere } from '../reply/reactions.ts';
import { decidableIn } from '../reply/decisions.ts';
import { createReplyDesk } from '../reply/reply-desk.ts';
import { createApiClient } from '../vendor/api-client.ts';
import { createLookUps } from '../vendor/look-ups.ts';
import { createSources } from '../vendor/pollers/run-pollers.ts';
import { announce } from './announce.ts';
import { createAsking } from './asking-parts.ts';
import { completeEvents } from './complete-events.ts';
import { createDecide, createDecideDue, createRandomPool } from './decide-now.ts';
import { createDelivery } from './delivery-parts.ts';
import { createEndpoints } from './endpoints.ts';
import { createHousekeeping } from './housekeeping.ts';
import { lockFile } from './lock.ts';
import { countRequests, familiesOf } from './metrics/counters.ts';
import { type DaemonOptions, type Foundation, openBase } from './open-base.ts';
import { createProjects } from './projects.ts';
import { spoolCounter } from './spool-counts.ts';
import { createTeamPageEndpoint } from './team-page/team-page-endpoint.ts';
import { transcriptTails, transcriptTitles } from './transcript-title.ts';
import { createTurnWatch } from './turn-watch.ts';
import { createWaitingLedger } from './waiting-ledger.ts';
import {
  circuitWarnings,
  intakeWarnings,
  missingWarnings,
  restartWarning,
} from './warning-texts.ts';

/**
 * Creates the parts of the daemon, each after what it needs, and starts them; the lifecycle stops them in the reverse
 * order. A part that takes new configurations says so where it is created. Early parts reach later ones by signals.
 */
export async function compose(
  options: DaemonOptions,
  { startedAt, log, lifecycle }: Foundation,
): Promise<ConfigHolder> {
  const { paths, env } = options;
  let clock = systemClock;
  const now = (): number => clock();
  const random = createRandomPool();
  const newId = (): string => timeOrderedId(now(), random(10));
  const warnings = createWarnings({ now, newId, log });
  const { restartedBecause } = options;
  if (restartedBecause !== null) warnings.raise('restart', restartWarning(restartedBecause));

  const committed = createSignal();
  const due = createSignal();
  const pageChanged = createSignal();
  const questionsChanged = createSignal();
  const hasRoom = createSignal();
  const reactions = createSignal<[channel: string, reaction: Reaction]>();
  const elsewhere = createSignal();
  const base = await openBase(options, { warnings, log, lifecycle, onWork: elsewhere.emit });
  clock = base.now;
  const { config, store, policyOfHub } = base;
  const programChannels = (): readonly string[] => config.current().policy.programChannels;

  const deps = { ...base, config: () => config.current(), warnings };
  const here = { paths, env, platform: process.platform, now, newId, log };
  const user = { files: base.files, home: homedir(), uid: process.geteuid?.() ?? null };
  const readTranscriptTitle = transcriptTitles(user);

  // The vendor's service.
  const requests = countRequests();
  const api = createApiClient({ ...deps, ...here, middleware: [requests.middleware] });
  const lookUps = createLookUps({ config: config.current(), api, now, log });
  config.onChange((next) => lookUps.reconfigure(next));
  config.onSecrets(() => lookUps.readSecretsAgain());

  // From the outbox to the channels.
  const projects = createProjects({ ...user, trusted: paths.trustedProjects });
  const presenceEnd = new AbortController();
  lifecycle.onStop('presence', () => presenceEnd.abort());
  const presence = presenceHere({ ...here, signal: presenceEnd.signal });
  const readTail = transcriptTails(user);
  const { questions, words, hub, decisions, replyLinks, answers } = createAsking({
    ...deps,
    ...user,
    ...here,
    presence,
    readTail,
    random,
    elsewhere,
    delivery: () => delivery,
    onAnswered: due.emit,
    onOwnChange: questionsChanged.emit,
    onHubChange: pageChanged.emit,
  });
  questionsChanged.on(pageChanged.emit);
  const delivery = await createDelivery({
    ...deps,
    ...here,
    ...createDecideDue({ config, presence, lookUps, people: hub?.people, now }),
    config: config.current(),
    api,
    labelOf: (directory) => projects.of(directory)?.label ?? null,
    lookForAnswers: async (sessions) => void (await answers.look(sessions)),
    lookUp: () => lookUps.current(),
    readTranscriptTitle,
    makeReplyLink: replyLinks.make,
    decidableOf: decidableIn(decisions),
    awaitRequest: (event) => hub?.answers.awaitRequest(event),
    isHeld: (event) => decisions.heldFor(event) !== null,
    onReaction: reactions.emit,
    onCircuitChange: circuitWarnings(warnings),
    onMissing: missingWarnings(warnings),
  });
  config.onChange((next) => delivery.reconfigure(next));
  config.onSecrets((same) => delivery.reconfigure(same));
  committed.on(() => delivery.wake());
  for (const signal of [due, elsewhere]) signal.on(() => delivery.wake());
  warnings.connect((notification) => delivery.sendNow(notification));
  // From the spool, the service and other machines to the store.
  const housekeeping = createHousekeeping({
    ...deps,
    ...here,
    config,
    onRoom: hasRoom.emit,
    onSessionEnded: due.emit,
  });
  config.onChange((next) => housekeeping.reconfigure(next));
  committed.on(() => housekeeping.historyGrew());
  const events = {
    decide: createDecide({ config, projects, people: hub?.people, now, newId }),
    prepare: (record: HookRecord) => delivery.redaction().record(record),
    onCommitted: committed.emit,
  };
  const intake = createIntake({
    ...deps,
    ...here,
    ...events,
    spool: paths.spool,
    quarantine: paths.quarantine,
    look: completeEvents({ readTail, projects, prepare: events.prepare }),
    onRecords: (records) => {
      questions.take(records);
      words.take(records);
    },
    onTrouble: intakeWarnings(warnings, () => void housekeeping.diskIsFull()),
  });
  const turns = createTurnWatch({ ...events, store, readTail, now, log });
  hasRoom.on(() => void intake.drain());
  const remote = createRemote({ ...deps, ...here, ...events, hub, questions, readTranscriptTitle });
  const seen = createSeenAtHub({ path: paths.seen, askHub: remote.askHub, now, log });
  questionsChanged.on(() => remote.questionsChanged());
  config.onChange(() => remote.reconfigure());
  config.onSecrets(() => remote.reconfigure());
  committed.on(() => remote.wake());
  const waiting = createWaitingLedger({
    ...here,
    waits: store.waits,
    mark: join(paths.state, 'alive'),
    hours: () => config.current().workingHours(),
    programChannels,
  });
  const sources = createSources({ ...deps, ...here, ...events, api, waiting: waiting.report });
  config.onChange(() => sources.reconfigure());
  config.onSecrets(() => sources.reconfigure());

  // From people: the reply page, pop-ups, the command line.
  const status: StatusSources = {
    version: options.version,
    startedAt,
    now,
    store,
    config,
    remote,
    channels: () => delivery.channels(),
    spool: spoolCounter(paths),
    api: () => lookUps.state(),
    heartbeat: () => housekeeping.heartbeat(),
    warnings: () => warnings.list(),
  };
  const shown = {
    texts: (entry: HistoryEntry) => delivery.texts(entry),
    redact: (text: string) => delivery.redaction().textFor(null)(text),
  };
  const counted = () => familiesOf([base, requests, waiting, hub]);
  const endpoints = createEndpoints({
    ...deps,
    ports: paths.ports,
    log,
    replyLinks,
    metrics: { status, store, paths, counted },
    replies: { ...shown, store, desk: createReplyDesk({ api, paths, now, log }), decisions, now },
    page: {
      ...shown,
      ask: (name, call) => askRoutes(routes, name, call),
      questions,
      decisions,
      sessionsFile: paths.pageSessions,
      runtime: paths.runtime,
      api,
      changed: pageChanged,
      now,
    },
  });
  const teamPage = createTeamPageEndpoint({ ...deps, ...here, ...shown, hub, ports: paths.ports });
  config.onChange(() => teamPage.reconfigure());
  config.onSecrets(() => teamPage.renew());
  for (const signal of [committed, due]) signal.on(pageChanged.emit);
  config.onChange((next) => endpoints.reconfigure(next));
  const popUps = reactionsHere({
    ...here,
    alerts: store.alerts,
    mutes: store.mutes,
    endpoints,
    decisions,
    programChannels,
    channels: () => delivery.channels(),
    onSeen: (sessions) => void seen.report(sessions),
    wake: due.emit,
  });
  reactions.on(popUps.handle);

  const callers = createCallerCheck({ directory: paths.runtime, agents: agentProcesses, now });
  const routes: ControlRoutes = controlRoutes({
    ...shown,
    ...here,
    store,
    config,
    presence,
    questions,
    words,
    callers,
    committed,
    status,
    channels: () => delivery.channels(),
    checkApi: () => lookUps.check(),
    checkRelay: () => remote.check(),
    askHub: remote.askHub,
    seenAtHub: (sessions) => seen.report(sessions),
    sendDigest: () => sources.sendDigest(),
    waiting: waiting.report,
    wake: due.emit,
    bringForward: bringForwardHere(here),
    stop: options.requestStop,
    metrics: () => endpoints.readMetrics(),
    endpoints: () => [...endpoints.view(), ...teamPage.view()],
    page: endpoints.page,
    hub,
  });

  // What sends is started first and stopped last; agents' events come in once everything is ready for them.
  const parts = {
    ...(hub !== null && { hub }),
    waiting,
    endpoints,
    popUps,
    answers,
    turns,
    questions,
    words,
    lookUps,
    delivery,
    housekeeping,
    intake,
    teamPage,
    remote,
    seen,
    policyOfHub: { ...policyOfHub, start: () => policyOfHub.start(remote.askHub) },
    sources,
    callers,
    ...(hub !== null && { drain: hub.drain }),
  };
  for (const [name, part] of Object.entries(parts)) await lifecycle.run(name, part);
  config.watch(() => delivery.hasBroken());
  lifecycle.onStop('config', () => config.stop());
  const control = await listenForControl({ ...paths, log, routes });
  lifecycle.onStop('control', () => control.close());
  announce({ ...options, lock: lockFile(paths), log, lifecycle });
  return config;
}
