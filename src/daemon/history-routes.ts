import { NotFoundError } from '../core/errors.ts';
import type { AgentName } from '../core/hook-event.ts';
import { agentNames, sessionKeyOf } from '../core/hook-event.ts';
import type { HistoryEntry, FollowQuery, HistoryQuery } from '../core/history.ts';
import type { Redact } from '../core/redact.ts';
import type { Store } from '../core/store.ts';
import type { Texts } from '../delivery/render.ts';
import type { Bell } from './bell.ts';
import type { ControlRequest, ControlRoutes } from './control-server.ts';
import { limitOf, numberOf } from './request-query.ts';
import { eventView, historyView } from './views.ts';

/** A request is kept waiting for news no longer than this, ms. */
const LONGEST_WAIT_MS = 25_000;

export interface HistoryRoutesParts {
  readonly store: Pick<Store, 'history' | 'follow' | 'event' | 'sessionsElsewhere'>;
  readonly texts: (entry: HistoryEntry) => Texts;
  /** Takes secrets out of what is shown as the agent said it. */
  readonly redact: Redact;
  /** Rings when events were committed. */
  readonly committed: Bell;
}

/** What came in: page by page, as it comes, and one event by itself. */
export function historyRoutes({
  store,
  texts,
  redact,
  committed,
}: HistoryRoutesParts): Pick<
  ControlRoutes,
  'GET /v1/history' | 'GET /v1/follow' | 'GET /v1/events'
> {
  /** What people call a session: its key, or its id, which does not say whose session it is, or on which machine. */
  async function keysOf(query: ControlRequest['query']): Promise<readonly string[] | undefined> {
    const session = query.get('session');
    if (session === null) return undefined;
    const elsewhere = await store.sessionsElsewhere(session);
    const here = agentNames.map((agent) => sessionKeyOf(agent, session, null));
    return [session, ...here, ...elsewhere];
  }

  return {
    'GET /v1/history': async ({ query }) => {
      const entries = await store.history(historyQuery(query, await keysOf(query)));
      return entries.map((entry) => historyView(entry, texts(entry), redact));
    },

    'GET /v1/follow': async ({ query }) => {
      const wanted = followQuery(query, await keysOf(query));
      const waitMs = Math.min(numberOf(query, 'waitMs', 0), LONGEST_WAIT_MS);
      // Taken before the look: what is committed between look and wait rings it.
      const rung = waitMs > 0 ? committed.next() : null;
      let found = await store.follow(wanted);
      if (found.entries.length === 0 && rung !== null) {
        await within(rung, waitMs);
        found = await store.follow({ ...wanted, from: { cursor: found.cursor } });
      }
      return {
        events: found.entries.map((entry) => historyView(entry, texts(entry), redact)),
        cursor: found.cursor,
      };
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
  };
}

type SessionKeys = readonly string[] | undefined;

function historyQuery(query: ControlRequest['query'], sessionKeys: SessionKeys): HistoryQuery {
  const before = query.get('before');
  const agent = agentOf(query);
  return {
    limit: limitOf(query),
    ...(before === null ? {} : { before }),
    ...(sessionKeys === undefined ? {} : { sessionKeys }),
    ...(agent === undefined ? {} : { agent }),
    ...(query.get('suppressed') === '1' ? { suppressed: true } : {}),
  };
}

function followQuery(query: ControlRequest['query'], sessionKeys: SessionKeys): FollowQuery {
  const cursor = query.get('cursor');
  const event = query.get('after');
  const from = cursor !== null ? { cursor } : event !== null ? { event } : 'newest';
  return { limit: limitOf(query), from, sessionKeys, agent: agentOf(query) };
}

function agentOf(query: ControlRequest['query']): AgentName | undefined {
  return agentNames.find((name) => name === query.get('agent'));
}

/** Waits, but not longer than this. */
async function within(news: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    // A daemon that stops need not wait for it.
    timer = setTimeout(resolve, ms).unref();
  });
  await Promise.race([news, patience]);
  clearTimeout(timer);
}
