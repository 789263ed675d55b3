import type { Attempt, ChannelState, Delivery } from '../../src/core/delivery.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { ClaimedDelivery, Outbox } from '../../src/core/outbox.ts';
import type { Session } from '../../src/core/session.ts';
import { StoreError } from '../../src/core/store-aging.ts';
import { outboxOn } from '../../src/store/outbox-store.ts';
import { SqliteConnection, sqliteStatements } from '../../src/store/sqlite/connection.ts';
import { createDatabase } from '../../src/store/database.ts';
import {
  addDelivery,
  attemptsOf,
  readDelivery,
  SELECT_DELIVERIES,
} from '../../src/store/deliveries.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { addEvent, eventById } from '../../src/store/events.ts';
import { migrations } from '../../src/store/sqlite/migrations/migrations.ts';
import { runNow } from '../../src/store/query.ts';
import { deliveryQueueOn, listChannelStates } from '../../src/store/queue-store.ts';
import { saveSession } from '../../src/store/session-store.ts';
import type { ManualClock } from './manual-clock.ts';
import { sampleEvent } from './sample.ts';
import { sampleDelivery } from './store.ts';

const open = await loadDriver();

/** What a delivery may start with. */
type Start = Partial<Pick<Delivery, 'dueAt' | 'quietly' | 'createdAt' | 'attempts'>>;

export interface DeliveryStore extends Outbox {
  /** Puts a delivery into the outbox; returns its id. */
  add(fields: {
    readonly channel: string;
    readonly event?: Partial<HookEvent>;
    readonly session?: Session | null;
    readonly also?: readonly HookEvent[];
    readonly delivery?: Start;
  }): string;
  /** Cancels it as a person does. */
  cancel(id: string): Promise<unknown>;
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

/** The outbox of the real store, in memory, with a view into it for tests. */
export function deliveryStore({
  now,
  waitFor,
}: Pick<ManualClock, 'now' | 'waitFor'>): DeliveryStore {
  const driver = open(':memory:');
  for (const migration of migrations) driver.exec(migration);
  const sqlite = new SqliteConnection(':memory:', driver, {
    reopen: () => driver,
    schemaFault: () => null,
    onDamage: () => {},
  });
  const database = createDatabase(sqlite, now);
  const connection = sqliteStatements(sqlite);
  const outbox = outboxOn(database);
  const queue = deliveryQueueOn(database);
  const called = new Map<keyof Outbox, number>();
  let broken: readonly (keyof Outbox)[] = [];
  let count = 0;
  let pending = 0;
  waitFor(() => pending > 0);

  async function call<Result>(name: keyof Outbox, work: () => Promise<Result>): Promise<Result> {
    called.set(name, (called.get(name) ?? 0) + 1);
    if (broken.includes(name)) throw new StoreError('full', 'No space left');
    pending += 1;
    try {
      return await work();
    } finally {
      pending -= 1;
    }
  }

  function keep(event: HookEvent, channel: string, { dueAt = now(), quietly = false }: Start) {
    count += 1;
    const id = `delivery-${count}`;
    runNow(
      addEvent(connection, {
        seq: null,
        record: { event, payload: new Uint8Array() },
        duplicateOf: null,
        decisions: [],
        turnMs: null,
        suppressed: false,
      }),
    );
    const delivery = sampleDelivery({ id, channel, dueAt, quietly });
    runNow(addDelivery(connection, delivery, { event, now: now() }));
    return id;
  }

  const rowsOf = (condition: string, ...values: readonly string[]): readonly Delivery[] =>
    sqlite.all(`${SELECT_DELIVERIES} ${condition}`, ...values).map(readDelivery);

  function deliveryOf(id: string): Delivery {
    const [found] = rowsOf('WHERE id = ?', id);
    if (found === undefined) throw new Error(`No delivery "${id}"`);
    return found;
  }

  return {
    claim: (query) => call('claim', () => outbox.claim(query)),
    recordAttempt: (settlement) => call('recordAttempt', () => outbox.recordAttempt(settlement)),
    release: (id, fence) => call('release', () => outbox.release(id, fence)),
    releaseLost: (channel, underWay) =>
      call('releaseLost', () => outbox.releaseLost(channel, underWay)),
    recoverClaims: (at) => call('recoverClaims', () => outbox.recoverClaims(at)),
    giveUp: (query) => call('giveUp', () => outbox.giveUp(query)),
    addAwakeTime: (ms) => call('addAwakeTime', () => outbox.addAwakeTime(ms)),
    shiftForClock: (at) => call('shiftForClock', () => outbox.shiftForClock(at)),
    retryNow: (channel, at) => call('retryNow', () => outbox.retryNow(channel, at)),
    dueTimes: () => call('dueTimes', () => outbox.dueTimes()),
    channelStates: () => call('channelStates', () => outbox.channelStates()),
    saveChannelState: (state) => call('saveChannelState', () => outbox.saveChannelState(state)),
    add({ channel, event, session = null, also = [], delivery = {} }) {
      return sqlite.transaction(() => {
        const id = keep(sampleEvent(event), channel, delivery);
        if (session !== null) runNow(saveSession(connection, session));
        for (const other of also) {
          sqlite.run(
            "UPDATE deliveries SET state = 'cancelled', told_by = ? WHERE id = ?",
            id,
            keep(other, channel, delivery),
          );
        }
        sqlite.run(
          'UPDATE deliveries SET created_at = ?, attempts = ? WHERE id = ?',
          delivery.createdAt ?? now(),
          delivery.attempts ?? 0,
          id,
        );
        return id;
      });
    },
    cancel: (id) => queue.drop([id], 'Dropped'),
    delivery: deliveryOf,
    event: (id) => runNow(eventById(connection, deliveryOf(id).eventId)),
    deliveries: () => rowsOf('WHERE told_by IS NULL ORDER BY seq'),
    log: (id) => runNow(attemptsOf(connection, id)),
    channelState: (channel) =>
      runNow(listChannelStates(connection)).find((state) => state.channel === channel),
    breakDown(...methods) {
      broken = methods;
    },
    calls: (method) => called.get(method) ?? 0,
  };
}

/** The first delivery of a channel in a store, claimed. */
export async function firstClaim(store: Outbox, channel: string): Promise<ClaimedDelivery> {
  const [first] = await store.claim({ channel, now: 2e12, leaseMs: 60_000, limit: 1 });
  if (first === undefined) throw new Error(`Nothing is due for "${channel}"`);
  return first;
}
