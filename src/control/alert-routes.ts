import { z } from 'zod';

import { INBOX } from '../core/delivery.ts';
import { NotFoundError } from '../platform/errors.ts';
import { agentNames, routedKinds } from '../core/hook-event.ts';
import type { TerminalLocation } from '../core/notification.ts';
import type { Mute } from '../core/policy.ts';
import type { Session, SessionStore } from '../core/session.ts';
import type { Store } from '../core/store.ts';
import { channelNamed, type RunningChannels } from '../delivery/running-channel.ts';
import { type Clock, isoTime } from '../platform/time.ts';
import type { ControlRoutes } from './control-server.ts';
import { ambiguousId, idsIn, parseBody } from './read-request.ts';
import { alertView, muteView } from './views.ts';

/** Of sessions that a word may mean, at most this many of each agent are named. */
const MOST_CANDIDATES = 20;

const ackBody = z.union([
  z.strictObject({ session: z.string().min(1) }),
  z.strictObject({ all: z.literal(true) }),
]);

const sessionBody = z.strictObject({ session: z.string().min(1) });

const snoozeBody = sessionBody.extend({ forMs: z.int().positive() });

const muteBody = z.strictObject({
  forMs: z.int().positive().nullable(),
  session: z.string().min(1).nullish(),
  project: z.string().min(1).nullish(),
  agent: z.enum(agentNames).nullish(),
  channel: z.string().min(1).nullish(),
  kind: z.enum(routedKinds).nullish(),
});

export interface AlertRoutesParts {
  readonly store: Pick<Store, 'alerts' | 'sessions' | 'mutes' | 'history'>;
  readonly channels: () => RunningChannels;
  /** Channels whose pending messages are sent even when a person acknowledges. */
  readonly programChannels: () => readonly string[];
  /** Brings the terminal of a session forward; returns why it could not. Never rejects. */
  readonly bringForward: (location: TerminalLocation) => Promise<string | null>;
  /** Reports what was acknowledged to the hub, and returns how many alerts that ended there. */
  readonly seenAtHub: (sessions: readonly string[] | null) => Promise<number>;
  readonly now: Clock;
  readonly newId: () => string;
  /** Held deliveries may be due, or shown alerts may be over. */
  readonly wake: () => void;
}

/** Alerts and what people do about them: acknowledge, mute, unmute. */
export function alertRoutes(parts: AlertRoutesParts) {
  const { store, channels, programChannels, bringForward, seenAtHub, now, newId, wake } = parts;
  return {
    'GET /v1/alerts': async () => (await store.alerts.live()).map(alertView),
    'POST /v1/ack': async ({ body }) => {
      const wanted = parseBody(ackBody, body);
      const session =
        'all' in wanted ? null : (await findSession(store.sessions, wanted.session)).key;
      const seen = await store.alerts.acknowledge({
        of: session === null ? 'all' : { sessionKey: session },
        by: 'a person',
        now: now(),
        exceptChannels: programChannels(),
      });
      wake();
      const there = await seenAtHub(session === null ? null : [session]);
      // The hub's alert is about the same question.
      return { count: Math.max(seen.length, there) };
    },

    'POST /v1/snooze': async ({ body }) => {
      const { session: name, forMs } = parseBody(snoozeBody, body);
      const { key, sessionId } = await findSession(store.sessions, name);
      const until = now() + forMs;
      const found = await store.alerts.snooze({
        sessionKey: key,
        until,
        now: now(),
        exceptChannels: [INBOX, ...programChannels()],
        newId,
      });
      const session = sessionId ?? key;
      if (found === null) {
        throw new NotFoundError(`Session "${session}" has no open alert`, {
          hint: 'Run "hookbell sessions" to list those that wait for you',
        });
      }
      wake();
      return { session, until: isoTime(until), channels: found };
    },

    'POST /v1/open': async ({ body }) => {
      const { session: name } = parseBody(sessionBody, body);
      // Windows opens it for a click on a toast; the channel reports what it means.
      if (name.startsWith('hookbell:')) {
        const isKnown = [...channels().values()].some(({ channel }) => channel.takeClick?.(name));
        return { session: name, reason: isKnown ? null : 'the link belongs to no notification' };
      }
      const found = await findSession(store.sessions, name);
      const { key, sessionId, machine, agent, facts, lastEventAt: at } = found;
      const reason =
        machine === null ? await bringForward({ agent, facts, at }) : `it runs on "${machine}"`;
      return { session: sessionId ?? key, reason };
    },

    'GET /v1/mutes': async () => (await store.mutes.active(now())).map(muteView),
    'POST /v1/mutes': async ({ body }) => {
      const wanted = parseBody(muteBody, body);
      const session = wanted.session ?? null;
      const channel = wanted.channel ?? null;
      if (channel !== null) channelNamed(channels(), channel);
      const mute: Mute = {
        id: newId(),
        createdAt: now(),
        until: wanted.forMs === null ? null : now() + wanted.forMs,
        sessionKey: session === null ? null : (await findSession(store.sessions, session)).key,
        project: wanted.project ?? null,
        agent: wanted.agent ?? null,
        channel,
        kind: wanted.kind ?? null,
      };
      await store.mutes.add(mute, programChannels());
      wake();
      return muteView(mute);
    },
    'POST /v1/unmute': async ({ body }) => {
      const ids = await idsIn(body, store.history, ['mutes'], 'all');
      const count = await store.mutes.remove(ids);
      wake();
      return { count };
    },
  } satisfies Partial<ControlRoutes>;
}

/** By its key, its id, or the beginning of its id. */
export async function findSession(
  stored: Pick<SessionStore, 'named'>,
  name: string,
): Promise<Session> {
  const found = await stored.named(name, MOST_CANDIDATES);
  const [first, second] = found;
  if (first === undefined) {
    throw new NotFoundError(`Cannot find a session with the id "${name}"`, {
      hint: 'Run "hookbell sessions" to list the known ones',
    });
  }
  // Another machine or agent may have chosen the same id.
  const exact =
    found.find(({ key }) => key === name) ?? found.find(({ sessionId }) => sessionId === name);
  if (exact !== undefined) return exact;
  if (second === undefined) return first;
  const candidates = found.map(({ sessionId, key }) => sessionId ?? key);
  throw ambiguousId('sessions', name, candidates);
}
