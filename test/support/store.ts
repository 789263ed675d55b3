import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { Client } from 'pg';

import type { Alert } from '../../src/core/alert.ts';
import type { NewDelivery } from '../../src/core/delivery.ts';
import type { HookEvent, HookRecord } from '../../src/core/hook-event.ts';
import type { Session } from '../../src/core/session.ts';
import type { Decide, Effects, Store } from '../../src/core/store.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import type { OpenStoreOptions, Recovered } from '../../src/store/open-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { openServerStore } from '../../src/store/postgres/open-server-store.ts';
import { sampleEvent } from './sample.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The time at which all test stores live. */
export const NOW = 1_700_000_000_000;

export interface TestStore extends AsyncDisposable {
  readonly store: Store;
  readonly path: string;
  readonly recovered: Recovered | null;
}

/**
 * The URL of a database, while the tests of the store run on PostgreSQL (test/store/on-postgres.test.ts); unset: they run on
 * SQLite.
 */
const DATABASE = process.env['HOOKBELL_TEST_DATABASE'];

/** Why a test that is about the file of SQLite does not run now, or false. */
export const aboutFile: string | false = DATABASE !== undefined && 'is about the file of SQLite';

/** An empty store; it is gone at the end of an `await using` block. */
export async function temporaryStore(options: Partial<OpenStoreOptions> = {}): Promise<TestStore> {
  if (DATABASE !== undefined) return temporaryServerStore(DATABASE, options);
  const directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  const opened = await openStore({ path, now: () => NOW, ...options });
  return {
    ...opened,
    path,
    async [Symbol.asyncDispose]() {
      await opened.store.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Each in a separate schema. */
async function temporaryServerStore(
  url: string,
  options: Partial<OpenStoreOptions>,
): Promise<TestStore> {
  const schema = `test_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.end();
  return storeAt(`${url}&options=${encodeURIComponent(`-c search_path=${schema}`)}`, options);
}

/** Changes the database of a closed store by a statement of one's own. */
export async function changeByHand(path: string, sql: string): Promise<void> {
  if (path.startsWith('postgres:')) {
    const client = new Client({ connectionString: path });
    await client.connect();
    await client.query(sql);
    await client.end();
    return;
  }
  const driver = (await loadDriver())(path);
  driver.exec(sql);
  driver.close();
}

/** Opens the store at `path`, as a daemon that starts does. */
export async function storeAt(
  path: string,
  options: Partial<OpenStoreOptions> = {},
): Promise<TestStore> {
  const opened = path.startsWith('postgres:')
    ? await openServerStore({ url: path, now: options.now ?? (() => NOW) })
    : await openStore({ path, now: () => NOW, ...options });
  return {
    recovered: null,
    ...opened,
    path,
    [Symbol.asyncDispose]: () => opened.store.close(),
  };
}

export function sampleRecord(fields: Partial<HookEvent> = {}, payload = '{}'): HookRecord {
  return { event: sampleEvent(fields), payload: new TextEncoder().encode(payload) };
}

/** Effects that only record the event; name only what the test is about. */
export function sampleEffects(fields: Partial<Effects> = {}): Effects {
  return {
    session: null,
    alerts: [],
    decisions: [],
    turnMs: null,
    deliveries: [],
    relay: false,
    cancel: [],
    withdraw: [],
    ...fields,
  };
}

/** Notifies no channel. */
export const decideNothing: Decide = () => sampleEffects();

/** Notifies each of `channels` immediately; the deliveries are named after event and channel: "event-1/desktop". */
export function tell(...channels: readonly string[]): Decide {
  return (_memory, event) =>
    sampleEffects({
      deliveries: channels.map((channel) =>
        sampleDelivery({ id: `${event.id}/${channel}`, channel }),
      ),
    });
}

export function sampleDelivery(fields: Partial<NewDelivery> = {}): NewDelivery {
  return {
    id: 'delivery-1',
    channel: 'desktop',
    recipient: null,
    alertId: null,
    step: 0,
    repetition: 0,
    delayMs: 0,
    condition: null,
    dueAt: NOW,
    heldFor: null,
    quietly: false,
    ...fields,
  };
}

export function sampleSession(fields: Partial<Session> = {}): Session {
  return {
    key: 'claude:s1',
    machine: null,
    agent: 'claude',
    sessionId: 's1',
    schedule: null,
    usageLimit: null,
    state: 'working',
    stateSince: NOW,
    startedAt: NOW,
    turnStartedAt: null,
    lastTurnMs: null,
    changes: [],
    lastEventAt: NOW,
    lastKind: 'prompt',
    lastEventId: 'event-1',
    waitingFor: null,
    project: 'shop',
    cwd: '/home/dev/shop',
    title: null,
    firstPrompt: null,
    permissionMode: null,
    attended: null,
    facts: {},
    lookedUp: null,
    ...fields,
  };
}

/** An open alert of `event`. */
export function sampleAlert(event: HookEvent, fields: Partial<Alert> = {}): Alert {
  return {
    id: `alert of ${event.id}`,
    sessionKey: event.sessionKey,
    state: 'open',
    kind: event.kind,
    event: event.event,
    subject: event.subject,
    eventId: event.id,
    openedAt: event.at,
    expiresAt: event.at + 3_600_000,
    acknowledgedAt: null,
    snoozedUntil: null,
    closedAt: null,
    closedBy: null,
    plan: {
      name: 'now',
      steps: [{ afterMs: 0, notify: ['desktop'], repeat: null, condition: null }],
    },
    ...fields,
  };
}
