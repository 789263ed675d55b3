import { agentProcesses } from '../../agents/registry.ts';
import { createCallerCheck } from '../../control/caller.ts';
import { controlRoutes } from '../../control/control-routes.ts';
import { askRoutes, type ControlRoutes } from '../../control/control-server.ts';
import type { StatusSources } from '../../control/status-view.ts';
import type { MetricFamily } from '../../core/metrics.ts';
import type { HistoryEntry } from '../../core/history.ts';
import type { Session } from '../../core/session.ts';
import type { PresenceWatch } from '../../attention/presence.ts';
import { bringForwardHere, reactionsHere } from '../../reply/reactions.ts';
import { createReplyDesk } from '../../reply/reply-desk.ts';
import type { ApiClient } from '../../vendor/api-client.ts';
import type { LookUps } from '../../vendor/look-ups.ts';
import { createEndpoints } from '../endpoints.ts';
import { spoolCounter } from '../spool-counts.ts';
import { createTeamPageEndpoint } from '../team-page/team-page-endpoint.ts';
import type { Asking } from './asking-parts.ts';
import { type Base, reconfigured } from './base-parts.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import type { Incoming } from './incoming-parts.ts';

interface SurfaceOptions {
  readonly api: ApiClient;
  readonly lookUps: LookUps;
  readonly presence: PresenceWatch;
  readonly asking: Asking;
  readonly delivery: DeliveryParts;
  readonly incoming: Incoming;
  readonly counted: () => Promise<readonly MetricFamily[]>;
}

/** Where people meet the daemon: pages, notifications on this machine, the command line. */
export function createSurface(base: Base, options: SurfaceOptions) {
  const { paths, store, log, now, signals, configHolder, programChannels } = base;
  const { api, lookUps, presence, asking, delivery, incoming } = options;
  const { questions, words, decisions, replyLinks, hub } = asking;
  const { remote, seen, sources, housekeeping, waiting } = incoming;
  const channels = () => delivery.channels();
  const wake = signals.due.emit;
  for (const signal of [signals.committed, signals.due]) signal.on(signals.pageChanged.emit);

  const status: StatusSources = {
    ...base,
    config: configHolder,
    remote,
    channels,
    spool: spoolCounter(paths),
    api: () => lookUps.state(),
    heartbeat: () => housekeeping.heartbeat(),
    warnings: () => base.warnings.list(),
  };
  const shown = {
    texts: (entry: HistoryEntry, session?: Session) => delivery.texts(entry, session),
    redact: (text: string) => delivery.redaction().textFor(null)(text),
  };
  const desk = createReplyDesk({ api, paths, now, log });
  const endpoints = createEndpoints({
    ...base,
    ports: paths.ports,
    replyLinks,
    metrics: { status, store, paths, counted: options.counted },
    replies: { ...shown, store, desk, decisions, now },
    page: {
      ...shown,
      ask: (name, call) => askRoutes(routes, name, call),
      questions,
      decisions,
      sessionsFile: paths.pageSessions,
      runtime: paths.runtime,
      api,
      changed: signals.pageChanged,
      now,
    },
  });
  reconfigured(configHolder, endpoints, null);
  const teamPage = createTeamPageEndpoint({ ...base, ...shown, hub, ports: paths.ports });
  reconfigured(configHolder, teamPage, () => teamPage.renew());

  const popUps = reactionsHere({
    ...base,
    alerts: store.alerts,
    mutes: store.mutes,
    endpoints,
    decisions,
    channels,
    programChannels,
    onSeen: (sessions) => void seen.report(sessions),
    wake,
  });
  signals.reactions.on(popUps.handle);

  const callers = createCallerCheck({ directory: paths.runtime, agents: agentProcesses, now });
  const routes: ControlRoutes = controlRoutes({
    ...base,
    ...shown,
    ...asking,
    config: configHolder,
    presence,
    words,
    asks: incoming.asks,
    callers,
    committed: signals.committed,
    status,
    channels,
    delivered: (channel) => delivery.delivered(channel),
    checkApi: () => lookUps.check(),
    checkRelay: () => remote.check(),
    askHub: remote.askHub,
    seenAtHub: (sessions) => seen.report(sessions),
    sendDigest: () => sources.sendDigest(),
    waiting: waiting.report,
    pastRequests: (period) => waiting.requests(period),
    wake,
    bringForward: bringForwardHere(base),
    stop: base.requestStop,
    metrics: () => endpoints.readMetrics(),
    endpoints: () => [...endpoints.view(), ...teamPage.view()],
    page: endpoints.page,
  });
  return { endpoints, teamPage, popUps, callers, routes };
}
