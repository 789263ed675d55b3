import type { Attempt, ChannelState, Delivery } from '../../src/core/delivery.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { Session } from '../../src/core/session.ts';
import type { ClaimedDelivery, Outbox, Settlement } from '../../src/core/outbox.ts';
import { StoreError } from '../../src/core/store-aging.ts';
import { sampleEvent } from './sample.ts';

interface Row {
  delivery: Delivery;
  readonly event: HookEvent;
  readonly session: Session | null;
  readonly also: readonly HookEvent[];
  readonly log: Attempt[];
  releasedAwakeMs: number;
  fence: number;
  claimedUntil: number | null;
}

export interface MemoryStore extends Outbox {
  /** Puts a delivery into the outbox; answers its id. */
  add(fields: {
    readonly channel: string;
    readonly event?: Partial<HookEvent>;
    readonly session?: Session | null;
    readonly also?: readonly HookEvent[];
    readonly delivery?: Partial<Delivery>;
  }): string;
  cancel(id: string): void;
  delivery(id: string): Delivery;
  event(id: string): HookEvent;
  deliveries(): readonly Delivery[];
  log(id: string): readonly Attempt[];
  channelState(channel: string): ChannelState | undefined;
  /** Makes the named methods reject as on a full disk, until called with none. */
  breakDown(...methods: readonly (keyof Outbox)[]): void;
  /** How often a method was called. */
  calls(method: keyof Outbox): number;
}

/** Keeps the store's promises about deliveries in memory: claims, fences, leases, order within a session. */
export function memoryStore({ now }: { readonly now: () => number }): MemoryStore {
  const rows = new Map<string, Row>();
  const channels = new Map<string, ChannelState>();
  const called = new Map<keyof Outbox, number>();
  let broken: readonly (keyof Outbox)[] = [];
  let lastFence = 0;
  let awakeMs = 0;

  const isUnsent = ({ delivery: { state } }: Row): boolean =>
    state === 'pending' || state === 'retrying';
  const isClaimed = (row: Row): boolean => row.claimedUntil !== null && row.claimedUntil > now();

  function enter(method: keyof Outbox): void {
    called.set(method, (called.get(method) ?? 0) + 1);
    if (broken.includes(method)) throw new StoreError('full', 'No space left');
  }

  function rowOf(id: string): Row {
    const row = rows.get(id);
    if (row === undefined) throw new Error(`No delivery "${id}"`);
    return row;
  }

  /** What `claim` may hand out, now or when its time has come, earliest due first. */
  function candidates(channel: string): readonly Row[] {
    const unsent = [...rows.values()]
      .filter((row) => row.delivery.channel === channel && isUnsent(row))
      .toSorted((a, b) => a.delivery.dueAt - b.delivery.dueAt);
    const first = new Map<string, Row>();
    for (const row of unsent) {
      const { sessionKey } = row.event;
      const before = first.get(sessionKey);
      if (before === undefined || precedence(row) > precedence(before)) first.set(sessionKey, row);
    }
    return unsent.filter((row) => first.get(row.event.sessionKey) === row);
  }

  /** What `claim` may hand out behind it. */
  function followers(head: Row, at: number): readonly Row[] {
    if (head.delivery.state !== 'pending') return [];
    return [...rows.values()]
      .filter((row) => row !== head && row.delivery.channel === head.delivery.channel)
      .filter((row) => row.event.sessionKey === head.event.sessionKey)
      .filter((row) => row.delivery.state === 'pending' && !isClaimed(row))
      .filter((row) => row.delivery.dueAt <= at)
      .toSorted((a, b) => a.delivery.dueAt - b.delivery.dueAt);
  }

  function precedence(row: Row): number {
    if (isClaimed(row)) return 2;
    return row.delivery.state === 'retrying' ? 1 : 0;
  }

  function abandon(row: Row): void {
    const number = row.delivery.attempts + 1;
    row.log.push({ number, startedAt: 0, durationMs: 0, outcome: 'unknown', reason: null });
    row.claimedUntil = null;
    row.delivery = {
      ...row.delivery,
      state: 'retrying',
      attempts: number,
      possibleDuplicate: true,
    };
  }

  return {
    add({ channel, event: fields = {}, session = null, also = [], delivery = {} }) {
      const id = `delivery-${rows.size + 1}`;
      const event = sampleEvent(fields);
      rows.set(id, {
        event,
        session,
        also,
        log: [],
        releasedAwakeMs: awakeMs,
        fence: 0,
        claimedUntil: null,
        delivery: {
          id,
          eventId: event.id,
          alertId: null,
          step: 0,
          channel,
          state: 'pending',
          dueAt: now(),
          heldFor: null,
          quietly: false,
          stillRunning: false,
          repetition: 0,
          delayMs: 0,
          condition: null,
          alsoTells: [],
          attempts: 0,
          failures: 0,
          waitedMs: 0,
          reason: null,
          ref: null,
          carry: null,
          possibleDuplicate: false,
          createdAt: now(),
          sentAt: null,
          ...delivery,
        },
      });
      return id;
    },
    cancel(id) {
      const row = rowOf(id);
      row.delivery = { ...row.delivery, state: 'cancelled' };
    },
    delivery: (id) => rowOf(id).delivery,
    event: (id) => rowOf(id).event,
    deliveries: () => [...rows.values()].map(({ delivery }) => delivery),
    log: (id) => rowOf(id).log,
    channelState: (channel) => channels.get(channel),
    breakDown(...methods) {
      broken = methods;
    },
    calls: (method) => called.get(method) ?? 0,

    async claim({ channel, leaseMs, limit, perSession = 1, now: at }) {
      enter('claim');
      for (const row of rows.values()) {
        if (row.claimedUntil !== null && row.claimedUntil <= at && isUnsent(row)) abandon(row);
      }
      return candidates(channel)
        .filter((row) => !isClaimed(row) && row.delivery.dueAt <= at)
        .flatMap((row) => [row, ...followers(row, at).slice(0, perSession - 1)])
        .slice(0, limit)
        .map((row): ClaimedDelivery => {
          lastFence += 1;
          row.fence = lastFence;
          row.claimedUntil = at + leaseMs;
          row.delivery = { ...row.delivery, waitedMs: awakeMs - row.releasedAwakeMs };
          const { delivery, event, session, also, fence } = row;
          return { delivery, event, session, also, fence };
        });
    },
    async settle(settlement: Settlement) {
      enter('settle');
      const row = rowOf(settlement.deliveryId);
      if (!isUnsent(row) || row.fence !== settlement.fence || row.claimedUntil === null) {
        return false;
      }
      const { delivery } = row;
      row.claimedUntil = null;
      row.log.push(settlement.attempt);
      row.delivery = {
        ...delivery,
        state: settlement.state,
        dueAt: settlement.dueAt ?? delivery.dueAt,
        attempts: settlement.attempt.number,
        failures: delivery.failures + (settlement.counts === true ? 1 : 0),
        reason: settlement.reason,
        ref: settlement.ref ?? delivery.ref,
        carry: settlement.carry === undefined ? delivery.carry : settlement.carry,
        possibleDuplicate: delivery.possibleDuplicate || settlement.possibleDuplicate === true,
        sentAt: settlement.state === 'sent' ? now() : delivery.sentAt,
      };
      return true;
    },
    async release(id, fence) {
      enter('release');
      const row = rowOf(id);
      if (row.fence === fence) row.claimedUntil = null;
    },
    async releaseLost(channel, underWay) {
      enter('releaseLost');
      for (const row of rows.values()) {
        if (row.delivery.channel !== channel || underWay.includes(row.delivery.id)) continue;
        row.claimedUntil = null;
      }
    },
    async giveUp({ channel, waitedMs, reason, limit }) {
      enter('giveUp');
      const given = [...rows.values()]
        .filter((row) => row.delivery.channel === channel && isUnsent(row) && !isClaimed(row))
        .filter((row) => awakeMs - row.releasedAwakeMs >= waitedMs)
        .slice(0, limit);
      for (const row of given) row.delivery = { ...row.delivery, state: 'dead', reason };
      return given.length;
    },
    async addAwakeTime(ms) {
      enter('addAwakeTime');
      awakeMs += ms;
    },
    async recoverClaims() {
      enter('recoverClaims');
      const left = [...rows.values()].filter((row) => isUnsent(row) && row.claimedUntil !== null);
      for (const row of left) {
        abandon(row);
      }
      return left.length;
    },
    async followClock(at) {
      enter('followClock');
      const made = [...rows.values()].filter((row) => isUnsent(row) && row.delivery.createdAt > at);
      for (const row of made) {
        const { dueAt, createdAt } = row.delivery;
        const waitMs = Math.max(0, dueAt - createdAt);
        row.delivery = { ...row.delivery, dueAt: at + waitMs, createdAt: at };
      }
      return made.length;
    },
    async retryNow(channel, at) {
      enter('retryNow');
      const late = [...rows.values()].filter(
        ({ delivery, claimedUntil }) =>
          delivery.channel === channel &&
          delivery.state === 'retrying' &&
          delivery.dueAt > at &&
          claimedUntil === null,
      );
      for (const row of late) row.delivery = { ...row.delivery, dueAt: at };
      return late.length;
    },
    async dueTimes() {
      enter('dueTimes');
      const due = new Map<string, number>();
      for (const channel of new Set([...rows.values()].map((row) => row.delivery.channel))) {
        const times = candidates(channel).map((row) =>
          isClaimed(row) ? (row.claimedUntil ?? 0) : row.delivery.dueAt,
        );
        if (times.length > 0) due.set(channel, Math.min(...times));
      }
      return due;
    },
    async channelStates() {
      enter('channelStates');
      return [...channels.values()];
    },
    async saveChannelState(state) {
      enter('saveChannelState');
      channels.set(state.channel, state);
    },
  };
}
