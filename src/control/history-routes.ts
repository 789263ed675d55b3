import { within, idleTimer } from '../platform/time.ts';
import { INBOX } from '../core/delivery.ts';
import { NotFoundError } from '../platform/errors.ts';
import type { EventFilter, FollowQuery, HistoryEntry } from '../core/history.ts';
import { agentNames, kinds, sessionKeyOf } from '../core/hook-event.ts';
import type { Session } from '../core/session.ts';
import type { Signal } from '../platform/lifecycle.ts';
import type { Redact } from '../text/redact.ts';
import type { Store } from '../core/store.ts';
import type { Texts } from '../delivery/render.ts';
import { findSession } from './alert-routes.ts';
import type { ControlRequest, ControlRoutes } from './control-server.ts';
import { limitOf, numberOf, wholeId } from './read-request.ts';
import { eventView, historyView } from './views.ts';

/** A request waits at most this long for new events, ms. */
const LONGEST_WAIT_MS = 25_000;

export interface HistoryRoutesParts {
  readonly store: Pick<Store, 'history' | 'sessions'>;
  /** @param session of the event; left out: its title in the entry is used */
  readonly texts: (entry: HistoryEntry, session?: Session) => Texts;
  /** Redacts texts shown as the agent wrote them. */
  readonly redact: Redact;
  /** Notifies when events were committed. */
  readonly committed: Pick<Signal, 'next'>;
  /** Channels that programs read: sending there notifies no one. */
  readonly programChannels: () => readonly string[];
}

/** Events: page by page, as they arrive, and one by one. */
export function historyRoutes(parts: HistoryRoutesParts) {
  const { store, texts, redact, committed, programChannels } = parts;

  /** A session by its key, or by its id, which does not identify the agent or machine. */
  async function keysOf(query: ControlRequest['query']): Promise<readonly string[] | undefined> {
    const session = query.get('session');
    if (session === null) return undefined;
    const elsewhere = await store.sessions.elsewhere(session);
    const localKeys = agentNames.map((agent) => sessionKeyOf(agent, session, null));
    const keys = [session, ...localKeys, ...elsewhere];
    try {
      return [...keys, (await findSession(store.sessions, session)).key];
    } catch (error) {
      // A session that was deleted may still have events.
      if (error instanceof NotFoundError) return keys;
      throw error;
    }
  }

  return {
    'GET /v1/history': async ({ query }) => {
      const before = query.get('before');
      const entries = await store.history.list({
        ...filterOf(query, await keysOf(query), {
          exceptChannels: [INBOX, ...programChannels()],
          orWaiting: false,
        }),
        limit: limitOf(query),
        ...(before === null ? {} : { before }),
      });
      return entries.map((entry) => historyView(entry, texts(entry), redact));
    },

    'GET /v1/follow': async ({ query }) => {
      const filter = filterOf(query, await keysOf(query), {
        exceptChannels: [INBOX, ...programChannels()],
        // A new event is read before its message can have been sent.
        orWaiting: true,
      });
      const wanted = { ...filter, limit: limitOf(query), from: beginningOf(query) };
      const waitMs = Math.min(numberOf(query, 'waitMs', 0), LONGEST_WAIT_MS);
      // Taken before the query, so that a commit between query and wait ends the wait.
      const nextCommit = waitMs > 0 ? committed.next() : null;
      let found = await store.history.follow(wanted);
      if (found.entries.length === 0 && nextCommit !== null) {
        // A daemon that stops need not wait for it.
        await within(nextCommit, waitMs, idleTimer);
        found = await store.history.follow({ ...wanted, from: { cursor: found.cursor } });
      }
      return {
        events: found.entries.map((entry) => historyView(entry, texts(entry), redact)),
        cursor: found.cursor,
      };
    },

    'GET /v1/events': async ({ part }) => {
      const id = part ?? 'last';
      const whole = id === 'last' ? id : await wholeId(store.history, 'events', id);
      const entry = whole === null ? null : await store.history.event(whole);
      if (entry === null) {
        const [session] = await store.sessions.named(id, 1);
        const ofSession = session === undefined ? '' : ` --session ${id}`;
        const what =
          session === undefined ? 'the events' : 'the events of the session with this id';
        throw new NotFoundError(
          id === 'last' ? 'No event has arrived yet' : `Cannot find an event with the id "${id}"`,
          { hint: `Run "hookbell history${ofSession}" to list ${what}` },
        );
      }
      const { sessionKey } = entry.event;
      const named = await store.sessions.named(sessionKey, 1);
      const session = named.find(({ key }) => key === sessionKey);
      return eventView(entry, texts(entry, session), redact);
    },
  } satisfies Partial<ControlRoutes>;
}

function filterOf(
  query: ControlRequest['query'],
  sessionKeys: readonly string[] | undefined,
  notified: NonNullable<EventFilter['notified']>,
): EventFilter {
  const agent = agentNames.find((name) => name === query.get('agent'));
  const project = query.get('project');
  const kind = kinds.find((known) => known === query.get('kind'));
  return {
    ...(sessionKeys !== undefined && { sessionKeys }),
    ...(agent !== undefined && { agent }),
    ...(query.get('suppressed') === '1' && { suppressed: true }),
    ...(project !== null && { project }),
    ...(kind !== undefined && { kind }),
    ...(query.has('since') && { since: numberOf(query, 'since') }),
    ...(query.get('rang') === '1' && { notified }),
  };
}

function beginningOf(query: ControlRequest['query']): FollowQuery['from'] {
  const cursor = query.get('cursor');
  const event = query.get('after');
  return cursor !== null ? { cursor } : event !== null ? { event } : 'newest';
}
