import { NotFoundError } from '../core/errors.ts';
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
  readonly store: Pick<Store, 'history' | 'follow' | 'event'>;
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
  return {
    'GET /v1/history': async ({ query }) => {
      const entries = await store.history(historyQuery(query));
      return entries.map((entry) => historyView(entry, texts(entry), redact));
    },

    'GET /v1/follow': async ({ query }) => {
      const wanted = followQuery(query);
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

function historyQuery(query: ControlRequest['query']): HistoryQuery {
  const before = query.get('before');
  const { sessionKeys, agent } = filterOf(query);
  return {
    limit: limitOf(query),
    ...(before === null ? {} : { before }),
    ...(sessionKeys === undefined ? {} : { sessionKeys }),
    ...(agent === undefined ? {} : { agent }),
    ...(query.get('suppressed') === '1' ? { suppressed: true } : {}),
  };
}

function followQuery(query: ControlRequest['query']): FollowQuery {
  const cursor = query.get('cursor');
  const event = query.get('after');
  const from = cursor !== null ? { cursor } : event !== null ? { event } : 'newest';
  return { limit: limitOf(query), from, ...filterOf(query) };
}

function filterOf(query: ControlRequest['query']): Pick<FollowQuery, 'sessionKeys' | 'agent'> {
  const session = query.get('session');
  return {
    sessionKeys: session === null ? undefined : keysOf(session),
    agent: agentNames.find((name) => name === query.get('agent')),
  };
}

/** What people call a session: its key, or its id, which does not say whose session it is. */
function keysOf(session: string): readonly string[] {
  return [session, ...agentNames.map((agent) => sessionKeyOf(agent, session, null))];
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
