import { type Alert, isLive } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import { type HookEvent, type Kind, REGISTRATION_JITTER_MS } from '../core/hook-event.ts';
import { type Mute, type Policy, type Presence, unknownPresence } from '../core/policy.ts';
import type { Session } from '../core/session.ts';
import type { Effects } from '../core/store.ts';
import type { DueDelivery, Running } from '../core/due.ts';
import { decide } from './decide.ts';
import { releaseDue } from './release-due.ts';
import { createSimulatedOutbox, type SimulatedDelivery } from './simulated-outbox.ts';

/** A message that would have gone to a channel. */
export interface Notified {
  /** Unix ms. */
  readonly at: number;
  readonly deliveryId: string;
  readonly channel: string;
  readonly step: number;
  readonly kind: Kind;
  readonly eventId: string;
  readonly sessionId: string | null;
  readonly alertId: string | null;
  /** The decisions that led to it. */
  readonly reason: string;
  readonly quietly: boolean;
  readonly stillRunning: boolean;
  /** Events in the same message. */
  readonly also: readonly string[];
}

/**
 * The decision pipeline on a simulated clock: what the daemon would do with a stream of events, without store or
 * channels.
 */
export interface Simulation {
  /** Feeds an event at its `receivedAt`; timers due until then fire first. */
  feed(event: HookEvent): Effects;
  /** Lets time pass, Unix ms. */
  advanceTo(at: number): void;
  /** The machine sleeps until then: everything due meanwhile is due together. */
  suspendUntil(at: number): void;
  /** Lets time pass until no timer is left. */
  finish(): void;
  acknowledge(sessionKey: string | null, at: number): void;
  mute(mute: Mute): void;
  told(): readonly Notified[];
  liveAlerts(): readonly Alert[];
  session(key: string): Session | null;
  /** All decisions about an event, in order. */
  decisions(eventId: string): readonly Decision[];
}

export interface SimulationOptions {
  readonly policy: Policy;
  readonly presenceOf?: (sessionKey: string, at: number) => Presence | null;
  /** The vendor's service is not asked on a simulated clock. */
  readonly runningOf?: (sessionKey: string, at: number) => Running | null;
}

export function createSimulation({
  policy,
  presenceOf = () => unknownPresence,
  runningOf = () => 'unknown',
}: SimulationOptions): Simulation {
  const sessions = new Map<string, Session>();
  const alerts = new Map<string, Alert>();
  /** Events that are not repeats, by session, in the order they were fed. */
  const originals = new Map<string, HookEvent[]>();
  const decisions = new Map<string, Decision[]>();
  const outbox = createSimulatedOutbox();
  const mutes: Mute[] = [];
  let lastId = 0;

  function newId(): string {
    lastId += 1;
    return `id-${lastId}`;
  }

  function liveAlert(sessionKey: string): Alert | null {
    const found = [...alerts.values()].find(
      (alert) => alert.sessionKey === sessionKey && isLive(alert),
    );
    return found ?? null;
  }

  function questionOf(sessionKey: string): HookEvent | null {
    const alert = liveAlert(sessionKey);
    const known = originals.get(sessionKey) ?? [];
    return known.find(({ id }) => id === alert?.eventId) ?? null;
  }

  function siblingOf({ agent, cwd, sessionKey }: HookEvent): Session | null {
    const found = [...sessions.values()].filter(
      (one) =>
        one.agent === agent &&
        one.cwd === cwd &&
        one.key !== sessionKey &&
        one.firstPrompt !== null,
    );
    return found.toSorted((left, right) => right.lastEventAt - left.lastEventAt)[0] ?? null;
  }

  function duplicateOf(event: HookEvent): string | null {
    const before = originals.get(event.sessionKey) ?? [];
    const earlier = before
      .filter((original, index) => isCopy(event, original, before.slice(index + 1)))
      .toSorted((left, right) => left.at - right.at);
    return earlier[0]?.id ?? null;
  }

  function record(eventId: string, more: readonly Decision[]): void {
    const known = decisions.get(eventId) ?? [];
    const texts = known.map((decision) => JSON.stringify(decision));
    const added = more.filter((decision) => !texts.includes(JSON.stringify(decision)));
    decisions.set(eventId, [...known, ...added]);
  }

  function feed(event: HookEvent): Effects {
    const now = event.receivedAt;
    advanceTo(now);
    const earlier = duplicateOf(event);
    if (earlier === null) {
      const known = originals.get(event.sessionKey) ?? [];
      known.push(event);
      originals.set(event.sessionKey, known);
    }
    const effects = decide(
      {
        session: sessions.get(event.sessionKey) ?? null,
        alert: liveAlert(event.sessionKey),
        question: () => questionOf(event.sessionKey),
        duplicateOf: earlier,
        mutes,
        sibling: () => siblingOf(event),
        traffic: (channel) => outbox.traffic(channel, event.sessionKey, now),
      },
      event,
      { policy, now, presence: presenceOf(event.sessionKey, now), newId },
    );
    record(event.id, effects.decisions);
    if (effects.session !== null) sessions.set(effects.session.key, effects.session);
    for (const alert of effects.alerts) alerts.set(alert.id, alert);
    if (effects.answered !== undefined) outbox.cancelSettling(effects.answered);
    for (const cancellation of effects.cancel) outbox.cancel(cancellation);
    for (const delivery of effects.deliveries) outbox.add(delivery, effects.event ?? event);
    return effects;
  }

  /** When the next timer is due, Unix ms. */
  function nextTimer(): number {
    const expiries = [...alerts.values()].filter(isLive).map(({ expiresAt }) => expiresAt);
    return Math.min(outbox.nextDue(), ...expiries);
  }

  function advanceTo(at: number): void {
    for (let next = nextTimer(); next <= at; next = nextTimer()) fireAt(next);
  }

  function fireAt(now: number): void {
    for (const alert of alerts.values()) {
      if (isLive(alert) && alert.expiresAt <= now) {
        alerts.set(alert.id, { ...alert, state: 'expired', closedAt: now, closedBy: 'time' });
      }
    }
    // As in the store, everything is read before anything is decided.
    const byChannel = outbox
      .due(now)
      .map((rows) => rows.map((row) => ({ row, due: dueOf(row, now) })));
    for (const channel of byChannel) fireChannel(channel, now);
  }

  function dueOf(row: SimulatedDelivery, now: number): DueDelivery {
    const session = sessions.get(row.event.sessionKey) ?? null;
    const alert = row.alertId === null ? null : (alerts.get(row.alertId) ?? null);
    return outbox.describe(row, { session, alert, now });
  }

  function fireChannel(
    rows: readonly { readonly row: SimulatedDelivery; readonly due: DueDelivery }[],
    now: number,
  ): void {
    const fates = releaseDue(
      {
        due: rows.map(({ due }) => due),
        traffic: ({ delivery, event }) => outbox.traffic(delivery.channel, event.sessionKey, now),
        mutes,
      },
      {
        policy,
        now,
        presenceOf: (key) => presenceOf(key, now),
        runningOf: (key) => runningOf(key, now),
      },
    );
    for (const [index, fate] of fates.entries()) {
      const row = rows[index]?.row;
      if (row === undefined) continue;
      if (fate.decision !== null) record(row.event.id, [fate.decision]);
      outbox.meet(row, fate, now);
    }
  }

  function toldOf(row: SimulatedDelivery): Notified {
    return {
      at: row.releasedAt,
      deliveryId: row.id,
      channel: row.channel,
      step: row.step,
      kind: row.event.kind,
      eventId: row.event.id,
      sessionId: row.event.sessionId,
      alertId: row.alertId,
      reason: (decisions.get(row.event.id) ?? [])
        .filter(({ stage }) => stage === 'route' || stage === 'plan' || stage === 'throttle')
        .map(({ reason }) => reason)
        .join('; '),
      quietly: row.quietly,
      stillRunning: row.stillRunning,
      also: row.also,
    };
  }

  return {
    feed,
    advanceTo,
    suspendUntil: fireAt,
    finish() {
      for (let next = nextTimer(); Number.isFinite(next); next = nextTimer()) fireAt(next);
    },
    acknowledge(sessionKey, at) {
      advanceTo(at);
      for (const alert of alerts.values()) {
        if (alert.state !== 'open') continue;
        if (sessionKey !== null && alert.sessionKey !== sessionKey) continue;
        alerts.set(alert.id, { ...alert, state: 'acknowledged', acknowledgedAt: at });
      }
    },
    mute: (mute) => void mutes.push(mute),
    told: () => outbox.released().map(toldOf),
    liveAlerts: () => [...alerts.values()].filter(isLive),
    session: (key) => sessions.get(key) ?? null,
    decisions: (eventId) => decisions.get(eventId) ?? [],
  };
}

/** As in the store: see `DuplicateKey`. */
function isCopy(event: HookEvent, original: HookEvent, later: readonly HookEvent[]): boolean {
  const { key, windowMs } = event.duplicate;
  if (original.id === event.id || original.duplicate.key !== key) return false;
  if (windowMs === null) return true;
  const apartMs = Math.abs(event.at - original.at);
  if (apartMs > windowMs) return false;
  if (apartMs <= REGISTRATION_JITTER_MS) return true;
  return !later.some(
    ({ at, duplicate }) => at >= original.at && at <= event.at && duplicate.key !== key,
  );
}
