import { z } from 'zod';

import type { ApiCheckView, ChannelTestView } from '../core/control.ts';
import { deliveryStates } from '../core/delivery.ts';
import { NotFoundError, UsageError } from '../core/errors.ts';
import { agentNames, sessionKeyOf } from '../core/hook-event.ts';
import type { Redact } from '../core/redact.ts';
import { sessionStates } from '../core/session.ts';
import type { HistoryEntry, HistoryQuery } from '../core/history.ts';
import type { Store } from '../core/store.ts';
import type { Texts } from '../delivery/render.ts';
import type { PresenceWatch } from '../presence/presence.ts';
import { alertRoutes } from './alert-routes.ts';
import type { ConfigHolder } from './config-holder.ts';
import { checkChannels, testChannels } from './channel-tests.ts';
import type { ControlRequest, ControlRoutes } from './control-server.ts';
import { idsBody, parseBody } from './request-body.ts';
import type { RunningChannels } from './running-channels.ts';
import type { StatusSources } from './status.ts';
import { readStatus } from './status.ts';
import { deliveryView, eventView, historyView, isoTime, sessionView } from './views.ts';

export interface ControlParts {
  readonly status: StatusSources;
  readonly store: Store;
  readonly config: ConfigHolder;
  readonly channels: () => RunningChannels;
  readonly texts: (entry: HistoryEntry) => Texts;
  /** Takes secrets out of what is shown as the agent said it. */
  readonly redact: Redact;
  readonly presence: Pick<PresenceWatch, 'check'>;
  readonly checkApi: () => Promise<ApiCheckView>;
  readonly sendDigest: () => Promise<string>;
  readonly wake: () => void;
  readonly newId: () => string;
  readonly stop: () => void;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

const testBody = z.strictObject({ channels: z.array(z.string()).optional() }).optional();

/** What the daemon answers to each request of the contract in core/control.ts. */
export function controlRoutes(parts: ControlParts): ControlRoutes {
  const { store, config, channels, texts, redact } = parts;
  const now = parts.status.now;
  return {
    'GET /v1/status': () => readStatus(parts.status),

    'GET /v1/sessions': async ({ query }) => {
      const states = listOf(query, 'state', sessionStates);
      const found = await store.sessions({
        limit: limitOf(query),
        ...(states === null ? {} : { states }),
      });
      const live = await store.liveAlerts();
      const alerts = new Map(live.map((alert) => [alert.sessionKey, alert]));
      return found.map((session) => sessionView(session, alerts.get(session.key), redact));
    },

    'GET /v1/history': async ({ query }) => {
      const entries = await store.history(historyQuery(query));
      return entries.map((entry) => historyView(entry, texts(entry), redact));
    },

    'GET /v1/events': async ({ part }) => {
      const id = part ?? 'last';
      const entry = await store.event(id);
      if (entry === null) {
        throw new NotFoundError(
          id === 'last' ? 'No event has come in yet' : `No event has the id "${id}"`,
          { hint: 'Run "hookbell history" to see what came in' },
        );
      }
      return eventView(entry, texts(entry), redact);
    },

    'GET /v1/queue': async ({ query }) => {
      const states = listOf(query, 'state', deliveryStates) ?? ['pending', 'retrying', 'dead'];
      const found = await store.queue({ limit: limitOf(query), states });
      return found.map(deliveryView);
    },
    'POST /v1/queue-retry': async ({ body }) => {
      const wanted = parseBody(idsBody, body);
      const count = await store.retryDeliveries('ids' in wanted ? wanted.ids : 'all-dead', now());
      parts.wake();
      return { count };
    },
    'POST /v1/queue-drop': async ({ body }) => {
      const wanted = parseBody(idsBody, body);
      const ids = 'ids' in wanted ? wanted.ids : 'all';
      return { count: await store.dropDeliveries(ids, 'Dropped by a person') };
    },

    ...alertRoutes({
      store,
      channels,
      machineChannels: () => config.current().policy.machineChannels,
      now,
      newId: parts.newId,
      wake: parts.wake,
    }),

    'POST /v1/test': ({ body }): Promise<readonly ChannelTestView[]> =>
      testChannels(channels(), parseBody(testBody, body)?.channels ?? null, now),
    'GET /v1/channels': () => checkChannels(channels()),

    'GET /v1/quarantine': async ({ query }) => {
      const found = await store.quarantined(limitOf(query));
      return found.map((entry) => ({ ...entry, at: isoTime(entry.at) }));
    },
    'GET /v1/agents': async () => {
      const found = await store.lastEvents();
      return found.map(({ agent, at, event }) => ({
        agent,
        lastEventAt: isoTime(at),
        lastEvent: event,
      }));
    },

    'GET /v1/audit': () => store.audit(now()),

    'GET /v1/presence': () => parts.presence.check(),

    'GET /v1/api': () => parts.checkApi(),

    'GET /v1/tally': ({ query }) =>
      store.tally({ from: timeOf(query, 'from'), to: timeOf(query, 'to') }),
    'POST /v1/digest': async () => ({
      title: await parts.sendDigest(),
      channels: config.current().digest?.notify ?? [],
    }),

    'POST /v1/reload': () => config.reload(),
    'POST /v1/stop': () => {
      parts.stop();
      return Promise.resolve({ pid: process.pid });
    },
  };
}

function historyQuery(query: ControlRequest['query']): HistoryQuery {
  const before = query.get('before');
  const session = query.get('session');
  const agent = agentNames.find((name) => name === query.get('agent'));
  return {
    limit: limitOf(query),
    ...(before === null ? {} : { before }),
    ...(session === null ? {} : { sessionKeys: keysOf(session) }),
    ...(agent === undefined ? {} : { agent }),
    ...(query.get('suppressed') === '1' ? { suppressed: true } : {}),
  };
}

/** What people call a session: its key, or its id, which does not say whose session it is. */
function keysOf(session: string): readonly string[] {
  return [session, ...agentNames.map((agent) => sessionKeyOf(agent, session, null))];
}

function timeOf(query: ControlRequest['query'], key: string): number {
  const time = Number(query.get(key) ?? Number.NaN);
  if (Number.isSafeInteger(time)) return time;
  throw new UsageError(`"${key}" is no time, expected Unix ms`);
}

function limitOf(query: ControlRequest['query']): number {
  const text = query.get('limit');
  if (text === null) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`The limit is "${text}", expected a whole number from 1 to ${MAX_LIMIT}`);
}

function listOf<const Name extends string>(
  query: ControlRequest['query'],
  key: string,
  known: readonly Name[],
): readonly Name[] | null {
  const text = query.get(key);
  if (text === null) return null;
  return text.split(',').map((word) => {
    const name = known.find((candidate) => candidate === word);
    if (name !== undefined) return name;
    throw new UsageError(`Unknown ${key} "${word}", expected one of ${known.join(', ')}`);
  });
}
