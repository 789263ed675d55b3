/*
 * The protocol between the command line and the daemon, and who may use it. Answers are what `--json` prints. Decisions
 * and formatted texts for terminals never enter.
 */
import { z } from 'zod';

import type { ApiCheckView, EndpointView, RelayCheckView } from './contract-views.ts';
import { deliveryStates } from '../core/delivery.ts';
import { factKeys } from '../core/facts.ts';
import type { MetricFamily } from '../core/metrics.ts';
import { sessionStates } from '../core/session.ts';
import type { Store } from '../core/store.ts';
import { type ReadWaiting, waitingDimensions, type WaitingPeriod } from '../core/waiting.ts';
import type { PastRequest } from '../alerts/requests/propose-rules.ts';
import { isoTime } from '../platform/time.ts';
import type { PresenceWatch } from '../attention/presence.ts';
import { alertRoutes, type AlertRoutesParts } from './alert-routes.ts';
import { checkChannels, recordTests, runChannelTests } from './channel-tests.ts';
import type { ConfigHolder } from '../config/config-holder.ts';
import { withQuietHours } from '../config/edit-quiet-hours.ts';
import { questionRoutes, type QuestionRoutesParts } from './question-routes.ts';
import type { ControlRoutes } from './control-server.ts';
import { historyRoutes, type HistoryRoutesParts } from './history-routes.ts';
import { type AskHub, type HubDesk, hubRoutes, meRoute } from './hub-routes.ts';
import { type PageControl, pageRoutes } from './page-routes.ts';
import { idsIn, limitOf, listOf, numberOf, parseBody } from './read-request.ts';
import { readStatus, type StatusSources } from './status-view.ts';
import { deliveryView, sessionView } from './views.ts';

export interface ControlParts
  extends
    Pick<HistoryRoutesParts, 'texts' | 'redact' | 'committed'>,
    Pick<QuestionRoutesParts, 'questions' | 'words' | 'asks' | 'callers'>,
    Omit<AlertRoutesParts, 'store' | 'programChannels' | 'now'> {
  readonly status: StatusSources;
  readonly endpoints: () => readonly EndpointView[];
  readonly metrics: () => Promise<readonly MetricFamily[]>;
  readonly store: Store;
  readonly config: ConfigHolder;
  /** A test was delivered through this channel. */
  readonly delivered: (channel: string) => Promise<void>;
  readonly presence: Pick<PresenceWatch, 'check'>;
  readonly checkApi: () => Promise<ApiCheckView>;
  readonly checkRelay: () => Promise<RelayCheckView | null>;
  readonly askHub: AskHub;
  readonly sendDigest: () => Promise<string>;
  readonly waiting: ReadWaiting;
  readonly pastRequests: (period: WaitingPeriod) => Promise<readonly PastRequest[]>;
  readonly stop: () => void;
  readonly page: PageControl;
  /** Null if the daemon is not a hub. */
  readonly hub: { readonly desk: HubDesk } | null;
}

/** `facts`: the caller's environment, as a hook would record it. */
const testBody = z
  .strictObject({
    channels: z.array(z.string()).optional(),
    all: z.literal(true).optional(),
    facts: z.partialRecord(z.enum(factKeys), z.string().max(1_024)).optional(),
  })
  .default({});

const time = z.string().regex(/^\d\d:\d\d$/, { error: 'is not a time of day, such as "22:00"' });
const quietHoursBody = z.union([
  z.strictObject({ from: time, to: time }),
  z.strictObject({ off: z.literal(true) }),
]);

const MOST_PAUSED = 100;

/** The daemon's handler for each request of the contract in control/contract.ts. */
export function controlRoutes(parts: ControlParts): ControlRoutes {
  const { store, config, channels, redact } = parts;
  const now = parts.status.now;
  const programChannels = () => config.current().policy.programChannels;
  return {
    'GET /v1/status': async () => ({
      ...(await readStatus(parts.status)),
      endpoints: parts.endpoints(),
    }),
    'GET /v1/metrics': () => parts.metrics(),

    'GET /v1/sessions': async ({ query }) => {
      const states = listOf(query, 'state', sessionStates);
      const found = await store.sessions.list({
        limit: limitOf(query),
        ...(states === null ? {} : { states }),
      });
      const live = await store.alerts.liveOf(found.map(({ key }) => key));
      const alerts = new Map(live.map((alert) => [alert.sessionKey, alert]));
      return found.map((session) => sessionView(session, alerts.get(session.key), redact, now()));
    },

    ...meRoute(parts.askHub),
    ...historyRoutes({ ...parts, programChannels }),
    ...hubRoutes(parts.hub?.desk ?? null),

    'GET /v1/queue': async ({ query }) => {
      const states = listOf(query, 'state', deliveryStates) ?? ['pending', 'retrying', 'dead'];
      const found = await store.queue.list({ limit: limitOf(query), states });
      return found.map(deliveryView);
    },
    'POST /v1/queue-retry': async ({ body }) => {
      const ids = await idsIn(body, store.history, ['queue', 'deliveries'], 'all-dead');
      const count = await store.queue.retry(ids, now());
      parts.wake();
      return { count };
    },
    'POST /v1/queue-drop': async ({ body }) => {
      const ids = await idsIn(body, store.history, ['queue', 'deliveries'], 'all');
      return { count: await store.queue.drop(ids, 'Dropped by a person') };
    },

    ...alertRoutes({ ...parts, programChannels, now }),
    ...questionRoutes(parts),
    ...pageRoutes(parts),

    'POST /v1/test': async ({ body }) => {
      const { channels: names = null, all = false, facts = {} } = parseBody(testBody, body);
      await config.refresh();
      const tests = await runChannelTests(channels(), { names: all ? 'all' : names, facts, now });
      for (const { channel, outcome } of tests) {
        if (outcome === 'delivered') await parts.delivered(channel);
      }
      await recordTests(store.events, tests, now);
      return tests;
    },
    'GET /v1/channels': () => checkChannels(channels()),

    'GET /v1/quarantine': async ({ query }) => {
      const found = await store.quarantine.list(limitOf(query));
      return found.map((entry) => ({ ...entry, at: isoTime(entry.at) }));
    },
    'GET /v1/agents': async () => {
      const found = await store.history.lastEvents();
      return found.map(({ agent, at, event }) => ({
        agent,
        lastEventAt: isoTime(at),
        lastEvent: event,
      }));
    },
    'GET /v1/words-received': ({ query }) => store.history.words(numberOf(query, 'since', 0)),
    'GET /v1/waits-seen': ({ query }) => store.history.waitsSeen(numberOf(query, 'since', 0)),

    'GET /v1/self-check': () => store.upkeep.selfCheck(now()),

    'GET /v1/presence': () => parts.presence.check(),

    'GET /v1/api': () => parts.checkApi(),
    'GET /v1/relay': () => parts.checkRelay(),

    'GET /v1/usage': ({ query }) =>
      store.history.usage({ from: numberOf(query, 'from'), to: numberOf(query, 'to') }),
    'GET /v1/waiting': async ({ query }) => {
      const [by = 'day'] = listOf(query, 'by', waitingDimensions) ?? [];
      const until = numberOf(query, 'until', now());
      const report = await parts.waiting({ by, since: numberOf(query, 'since', 0), until });
      const sessions = await store.sessions.list({ states: ['paused'], limit: MOST_PAUSED });
      return {
        ...report,
        since: isoTime(report.since),
        until: isoTime(report.until),
        // Only a request has words of an agent in it.
        rows:
          by === 'request'
            ? report.rows.map((row) => ({ ...row, key: row.key === null ? null : redact(row.key) }))
            : report.rows,
        paused: sessions.map((session) => sessionView(session, undefined, redact, now())),
      };
    },
    'GET /v1/requests': ({ query }) =>
      parts.pastRequests({ since: numberOf(query, 'since', 0), until: now() }),
    'POST /v1/digest': async () => ({
      title: await parts.sendDigest(),
      channels: config.current().digest?.notify ?? [],
    }),

    'POST /v1/reload': () => config.reload(),
    'POST /v1/quiet-hours': ({ body }) => {
      const wanted = parseBody(quietHoursBody, body);
      return config.edit((text) => withQuietHours(text, 'off' in wanted ? null : wanted));
    },
    'POST /v1/stop': () => {
      parts.stop();
      return Promise.resolve({ pid: process.pid });
    },
  };
}
