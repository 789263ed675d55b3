import type { Alert, Answered, Cancellation } from '../core/alert.ts';
import type { HoldReason, NewDelivery } from '../core/delivery.ts';
import { isTryout } from '../core/hand-made.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Session } from '../core/session.ts';
import type { DueDelivery, DueResult, Traffic } from '../core/due.ts';
import { trafficAt } from '../core/due.ts';

/** A delivery on the simulated clock. */
export interface SimulatedDelivery extends Omit<NewDelivery, 'heldFor' | 'dueAt' | 'quietly'> {
  readonly event: HookEvent;
  readonly seq: number;
  state: 'held' | 'released' | 'cancelled';
  heldFor: HoldReason | null;
  dueAt: number;
  quietly: boolean;
  stillRunning: boolean;
  /** Unix ms; Infinity before it is released. */
  releasedAt: number;
  /** Events in the same message. */
  readonly also: string[];
}

/** The store's deliveries in memory: the decisions see the same state. */
export interface SimulatedOutbox {
  add(delivery: NewDelivery, event: HookEvent): void;
  cancel(cancellation: Cancellation): void;
  /** Cancels settling deliveries of answered requests. */
  cancelSettling(answered: Answered): void;
  traffic(channel: string, sessionKey: string, now: number): Traffic;
  /** When the next held delivery is due, Unix ms; Infinity without one. */
  nextDue(): number;
  /** Held deliveries that are due, by channel, in order of arrival. */
  due(now: number): readonly (readonly SimulatedDelivery[])[];
  describe(
    row: SimulatedDelivery,
    memory: {
      readonly session: Session | null;
      readonly alert: Alert | null;
      readonly now: number;
    },
  ): DueDelivery;
  meet(row: SimulatedDelivery, fate: DueResult, now: number): void;
  /** In the order of release. */
  released(): readonly SimulatedDelivery[];
}

const HOUR_MS = 3_600_000;

export function createSimulatedOutbox(): SimulatedOutbox {
  const rows: SimulatedDelivery[] = [];

  function held(): readonly SimulatedDelivery[] {
    return rows.filter(({ state }) => state === 'held');
  }

  return {
    add(delivery, event) {
      const isHeld = delivery.heldFor !== null;
      rows.push({
        ...delivery,
        event,
        seq: rows.length,
        state: isHeld ? 'held' : 'released',
        stillRunning: false,
        releasedAt: releaseTime(event, isHeld),
        also: [],
      });
    },
    cancel({ alertId, fromStep, exceptChannels }) {
      for (const row of held()) {
        const isMeant = row.alertId === alertId && row.step >= fromStep;
        if (isMeant && !exceptChannels.includes(row.channel)) row.state = 'cancelled';
      }
    },
    cancelSettling({ alertId, sessionKey, at }) {
      for (const row of held()) {
        const { event } = row;
        const isMeant = alertId === null || row.alertId === alertId;
        if (row.heldFor !== 'settle' || event.sessionKey !== sessionKey || event.at > at) continue;
        if (isMeant && row.alertId !== null) row.state = 'cancelled';
      }
    },
    traffic(channel, sessionKey, now) {
      const sent = rows.filter(
        (row) => row.channel === channel && row.releasedAt <= now && row.releasedAt > now - HOUR_MS,
      );
      return trafficAt(
        releaseTimes(sent),
        releaseTimes(sent.filter(({ event }) => event.sessionKey === sessionKey)),
      );
    },
    nextDue: () => Math.min(Number.POSITIVE_INFINITY, ...held().map(({ dueAt }) => dueAt)),
    due(now) {
      const due = held().filter(({ dueAt }) => dueAt <= now);
      const channels = [...new Set(due.map(({ channel }) => channel))];
      return channels.map((channel) => due.filter((row) => row.channel === channel));
    },
    describe: (row, { session, alert, now }) => ({
      delivery: {
        ...row,
        eventId: row.event.id,
        state: 'pending',
        alsoTells: row.also,
        attempts: 0,
        failures: 0,
        waitedMs: 0,
        reason: null,
        ref: null,
        carry: null,
        possibleDuplicate: false,
        createdAt: row.event.receivedAt,
        sentAt: null,
      },
      event: row.event,
      session,
      alert,
      // Deliveries released in this round are not sent yet.
      laterDue: rows.filter(
        (other) =>
          isLater(other, row) &&
          ((other.state === 'held' && other.dueAt <= now) || other.releasedAt === now),
      ),
    }),
    meet(row, fate, now) {
      switch (fate.type) {
        case 'release':
          Object.assign(row, {
            state: 'released',
            releasedAt: now,
            quietly: fate.quietly,
            stillRunning: fate.stillRunning === true,
          });
          break;
        case 'hold':
          Object.assign(row, { heldFor: fate.heldFor, dueAt: fate.until });
          break;
        case 'cancel':
          row.state = 'cancelled';
          break;
        case 'join':
          row.state = 'cancelled';
          rows.find(({ id }) => id === fate.carrier)?.also.push(row.event.id);
          break;
      }
    },
    released: () =>
      rows
        .filter(({ state }) => state === 'released')
        .toSorted((left, right) => left.releasedAt - right.releasedAt || left.seq - right.seq),
  };
}

function isLater(other: SimulatedDelivery, row: SimulatedDelivery): boolean {
  if (row.alertId === null || other.alertId !== row.alertId) return false;
  return other.step > row.step || (other.step === row.step && other.repetition > row.repetition);
}

function releaseTimes(rows: readonly SimulatedDelivery[]): readonly number[] {
  return rows.map(({ releasedAt }) => releasedAt).toSorted((left, right) => left - right);
}

/** As in the store: what is held or only tried out does not count as traffic. */
function releaseTime(event: HookEvent, isHeld: boolean): number {
  if (isHeld) return Number.POSITIVE_INFINITY;
  return isTryout(event.sessionId) ? Number.NEGATIVE_INFINITY : event.receivedAt;
}
