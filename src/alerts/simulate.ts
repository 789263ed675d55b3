import type { TraitsOf } from '../core/agent/agent-traits.ts';
import type { Alert } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { Delivery } from '../core/delivery.ts';
import type { Running } from '../core/due.ts';
import type { HookEvent, Kind } from '../core/hook-event.ts';
import { noPeople, type People } from '../core/hub/people.ts';
import type { ClaimedDelivery } from '../core/outbox.ts';
import { type Mute, type Policy, type Presence, unknownPresence } from '../core/policy.ts';
import type { Session } from '../core/session.ts';
import type { Effects, Store } from '../core/store.ts';
import { decide } from './decide.ts';
import { releaseDue } from './release-due.ts';

/** A message that would have gone to a channel. */
export interface SimulatedMessage {
  /** Unix ms. */
  readonly at: number;
  readonly deliveryId: string;
  readonly channel: string;
  readonly recipient: string | null;
  readonly step: number;
  readonly kind: Kind;
  readonly eventId: string;
  readonly sessionId: string | null;
  readonly alertId: string | null;
  readonly quietly: boolean;
  readonly stillRunning: boolean;
  /** Events in the same message. */
  readonly also: readonly string[];
}

export type Simulation = Awaited<ReturnType<typeof openSimulation>>;

export interface SimulationOptions {
  readonly policy: Policy;
  readonly agents: TraitsOf;
  /** The people of a hub; absent: there is none. */
  readonly people?: People;
  /** Opens an empty store with this clock; the simulation closes it. */
  readonly openStore: (now: () => number) => Promise<Store>;
  readonly presenceOf?: (sessionKey: string, at: number) => Presence | null;
  /** The vendor's service is not asked on a simulated clock. */
  readonly runningOf?: (sessionKey: string, at: number) => Running | null;
}

/**
 * The decisions and the store of the daemon on a simulated clock, with channels that accept every message immediately:
 * what the daemon would do with a stream of events.
 */
export async function openSimulation({
  policy,
  agents,
  people = noPeople,
  openStore,
  presenceOf = () => unknownPresence,
  runningOf = () => 'unknown',
}: SimulationOptions) {
  let now = 0;
  let lastId = 0;
  const sent: SimulatedMessage[] = [];
  const store = await openStore(() => now);
  const { programChannels } = policy;

  function newId(): string {
    lastId += 1;
    return `id-${lastId}`;
  }

  async function feed(event: HookEvent): Promise<Effects | null> {
    await advanceTo(event.receivedAt);
    now = event.receivedAt;
    let effects: Effects | null = null;
    await store.events.accept([{ event, payload: new Uint8Array() }], (memory, accepted) => {
      const presence = presenceOf(event.sessionKey, now);
      effects = decide(memory, accepted, { policy, agents, people, now, presence, newId });
      return effects;
    });
    await sendDue();
    return effects;
  }

  async function advanceTo(at: number): Promise<void> {
    for (;;) {
      const next = await store.held.nextTimer();
      if (next === null || next > at) return;
      await releaseAt(next);
    }
  }

  async function releaseAt(at: number): Promise<void> {
    now = at;
    await store.alerts.expire({ now, exceptChannels: programChannels });
    const context = {
      policy,
      people,
      now,
      presenceOf: (key: string) => presenceOf(key, now),
      runningOf: (key: string) => runningOf(key, now),
    };
    await store.held.releaseDue(now, (memory) => releaseDue(memory, context));
    await sendDue();
  }

  /** Messages of one session to one channel are claimed one after the other, so it claims until none is due. */
  async function sendDue(): Promise<void> {
    for (;;) {
      const due = [...(await store.outbox.dueTimes())].filter(([, at]) => at <= now);
      if (due.length === 0) return;
      for (const [channel] of due) await sendOn(channel);
    }
  }

  async function sendOn(channel: string): Promise<void> {
    for (const claimed of await store.outbox.claim({ channel, now, leaseMs: 1, limit: 100 })) {
      sent.push(messageOf(claimed, now));
      await store.outbox.recordAttempt({
        deliveryId: claimed.delivery.id,
        fence: claimed.fence,
        state: 'sent',
        reason: null,
        attempt: { number: 1, startedAt: now, durationMs: 0, outcome: 'delivered', reason: null },
      });
    }
  }

  return {
    /** Accepts an event at its `receivedAt`; timers due until then fire first. Null: an event with this id is stored. */
    feed,
    /** Lets time pass, Unix ms. */
    advanceTo,
    /** The machine sleeps until then: everything due meanwhile is due together. */
    suspendUntil: releaseAt,
    /** Lets time pass until no timer is left. */
    finish: () => advanceTo(Number.POSITIVE_INFINITY),
    /** Acknowledges the alert of a session; null: all alerts. */
    async acknowledge(sessionKey: string | null, at: number) {
      await advanceTo(at);
      now = at;
      const of = sessionKey === null ? 'all' : { sessionKey };
      await store.alerts.acknowledge({ of, by: 'you', now, exceptChannels: programChannels });
    },
    mute: (mute: Mute) => store.mutes.add(mute, programChannels),
    /** The messages up to now, in the order of release. */
    sent: () =>
      sent.toSorted((left, right) => left.at - right.at || orderOf(left) - orderOf(right)),
    liveAlerts: (): Promise<readonly Alert[]> => store.alerts.live(),
    async session(key: string): Promise<Session | null> {
      const sessions = await store.sessions.list({ limit: Number.MAX_SAFE_INTEGER });
      return sessions.find((session) => session.key === key) ?? null;
    },
    /** All decisions about an event, in order. */
    decisions: async (eventId: string): Promise<readonly Decision[]> =>
      (await store.history.event(eventId))?.decisions ?? [],
    deliveries: async (eventId: string): Promise<readonly Delivery[]> =>
      (await store.history.event(eventId))?.deliveries ?? [],
    close: () => store.close(),
  };
}

/** Deliveries get their ids in the order in which they were accepted. */
function orderOf({ deliveryId }: SimulatedMessage): number {
  return Number(deliveryId.slice('id-'.length));
}

function messageOf({ delivery, event, also }: ClaimedDelivery, at: number): SimulatedMessage {
  return {
    at,
    deliveryId: delivery.id,
    channel: delivery.channel,
    recipient: delivery.recipient,
    step: delivery.step,
    kind: event.kind,
    eventId: event.id,
    sessionId: event.sessionId,
    alertId: delivery.alertId,
    quietly: delivery.quietly,
    stillRunning: delivery.stillRunning,
    also: also.map(({ id }) => id),
  };
}
