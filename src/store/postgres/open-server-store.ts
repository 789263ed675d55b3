import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from 'pg';
import type { HubStore } from '../../core/hub/hub-store.ts';
import type { PollerMemory } from '../../core/source-event.ts';
import type { Store } from '../../core/store.ts';
import { StoreError } from '../../core/store-aging.ts';
import { type Log, silentLog } from '../../platform/log.ts';
import { familiesOn } from '../families.ts';
import { type DatabaseAddress, readDatabaseUrl } from './database-url.ts';
import { createServerClock, readServerTime, watchServer } from './server-watch.ts';
import { createServerDatabase } from './server-statements.ts';
import { hubStoreOn } from './hub/hub-store-on.ts';
import { createSecretRing } from './hub/secret-ring.ts';
import { sealKeys } from './hub/seal-keys.ts';
import { migrateServer, refuseNewerSchema } from './server-schema.ts';
import { connectTo, type Server } from './server.ts';
import { serverUpkeepOn } from './server-upkeep.ts';
import { parseJson } from '../../platform/json.ts';
import type { Database } from '../database.ts';
import { read } from '../row.ts';

/** The state of pollers, as rows, from which another process continues when it takes over. */
function pollerMemoryOn({ reads, writesBeside, now }: Database): (name: string) => PollerMemory {
  const readBody = reads(function* readMemory(connection, name: string) {
    const row = yield* connection.get('SELECT body FROM poller_memory WHERE name = ?', name);
    return row === null ? null : parseJson(read.text(row, 'body'));
  });
  const write = writesBeside(function* writeMemory(connection, name: string, body: string) {
    const sql = `INSERT INTO poller_memory (name, body, written_at) VALUES (?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET body = excluded.body, written_at = excluded.written_at`;
    yield* connection.run(sql, name, body, now());
  });
  return (name) => ({
    read: () => readBody(name),
    write: (value) => write(name, JSON.stringify(value)),
  });
}

export interface OpenServerStoreOptions {
  /** Of the database; with the password, if it needs one. */
  readonly url: string;
  /** Reads the URL again, for a password that has changed. Unset: it stays. */
  readonly readUrl?: () => Promise<string>;
  readonly log?: Log;
  /** Called when deliveries may be due, at least once a second. */
  readonly onWork?: () => void;
  /** Of a hub, which seals the keys of machines; null: it has none. Left out: the process is not a hub. */
  readonly hubSecret?: string | null;
  /** The previous secret, while processes that have only that one may run. */
  readonly previousSecret?: string | null;
  /** Instead of the server's clock, for tests. */
  readonly now?: () => number;
}

/**
 * Opens the store in a PostgreSQL database, which any number of processes may share.
 *
 * @throws ConfigError, and StoreError `newer`, `full` or `io`
 */
export async function openServerStore({
  url,
  readUrl,
  log = silentLog,
  onWork = () => {},
  hubSecret,
  previousSecret = null,
  now,
}: OpenServerStoreOptions): Promise<{
  readonly store: Store;
  readonly hub: HubStore;
  readonly now: () => number;
  /** Whether this process is the leader among those that share the store. */
  readonly isOwner: () => boolean;
  /** The state of a poller, for the process that polls next. */
  readonly pollerMemory: (name: string) => PollerMemory;
}> {
  const address = readDatabaseUrl(url);
  const random = Math.random;
  const server = connectTo(address, {
    process: `hookbell ${process.pid} ${randomBytes(6).toString('hex')}`,
    random,
    readUrl,
  });
  const clock = createServerClock(() => performance.now());
  const time = now ?? (() => clock.now());
  let space: number;
  try {
    space = await prepare(server, address, (at, tookMs) => clock.set(at, tookMs));
  } catch (error) {
    await server.close();
    throw server.errorOf(error);
  }
  const database = createServerDatabase(server, time, { space, isHub: hubSecret !== undefined });
  const ring = createSecretRing(hubSecret ?? null, previousSecret, address.place);
  const seal = database.writes((connection) => sealKeys(connection, time(), ring, hostname()));
  if (hubSecret !== undefined) {
    // Shows the other processes what this one can open, and seals the keys if none is left behind by it.
    try {
      await seal();
      const fault = ring.fault();
      if (fault !== null) throw fault;
    } catch (error) {
      await server.close();
      throw error;
    }
  }
  const families = familiesOn(database, serverUpkeepOn(database));
  const watch = watchServer(server, {
    clock,
    // Below 0, where no other lock of a single number is.
    ownership: -1 - (space >>> 0),
    onWork,
    random,
    log,
  });
  watch.start();
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await watch.stop();
    await server.close();
  };
  const store: Store = { ...families, close: () => (closed ??= close()) };
  const hub = hubStoreOn(database, ring, seal);
  async function ping(): Promise<void> {
    const trouble = server.fullness() ?? ring.fault();
    if (trouble !== null) throw trouble;
    await hub.ping();
  }
  const pollerMemory = pollerMemoryOn(database);
  return { store, hub: { ...hub, ping }, now: time, isOwner: () => watch.isOwner(), pollerMemory };
}

/**
 * Refuses a database that this program could not use, without migrating it: other processes may be using it.
 *
 * @throws ConfigError, and StoreError `newer` or `io`
 */
export async function refuseNewerServer(url: string): Promise<void> {
  const address = readDatabaseUrl(url);
  const server = connectTo(address, { process: `hookbell ${process.pid}`, random: Math.random });
  try {
    const opened = await server.open('watch');
    await readSpace(opened.client, address.place);
    await refuseNewerSchema(opened.client);
    await opened.end();
  } catch (error) {
    throw server.errorOf(error);
  } finally {
    await server.close();
  }
}

/** Returns the key of the store's advisory locks. */
async function prepare(
  server: Server,
  { place }: DatabaseAddress,
  onTime: (at: number, tookMs: number) => void,
): Promise<number> {
  const opened = await server.open('migration');
  const { client } = opened;
  try {
    const space = await readSpace(client, place);
    await refusePooledTransactions(server, client, place);
    await migrateServer(client, { space });
    const { at, tookMs } = await readServerTime(client);
    onTime(at, tookMs);
    return space;
  } finally {
    await opened.end();
  }
}

/**
 * A pooler that gives a connection of the server to another client after each transaction would lose the locks, the limits
 * and `LISTEN` of a connection. A second client, which keeps what it gets, gets the connection of the first one then, or
 * leaves it another one.
 *
 * @throws StoreError
 */
async function refusePooledTransactions(
  server: Pick<Server, 'open'>,
  client: Pick<Client, 'query'>,
  place: string,
): Promise<void> {
  const before = await backendOf(client);
  const other = await server.open('watch');
  try {
    await other.client.query('BEGIN');
    if ((await backendOf(other.client)) !== before && (await backendOf(client)) === before) return;
  } finally {
    other.cut();
  }
  const reason = `a pooler passes its connections on after each transaction: set its pool_mode to session, or name the server itself in store.postgres.url`;
  throw new StoreError('io', `Cannot use the database ${place}: ${reason}`);
}

async function backendOf(client: Pick<Client, 'query'>): Promise<number> {
  const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

async function readSpace(client: Client, place: string): Promise<number> {
  const { rows } = await client.query<{
    readonly space: number;
    readonly version: number;
    readonly encoding: string;
  }>(
    `SELECT hashtext('hookbell ' || current_schema()) AS space,
      current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`,
  );
  const found = rows[0];
  if (found === undefined || found.version < 150_000) {
    throw new StoreError('io', `Cannot use the database ${place}: it needs PostgreSQL 15 or newer`);
  }
  if (found.encoding !== 'UTF8') {
    throw new StoreError(
      'io',
      `Cannot use the database ${place}: its encoding is ${found.encoding}, expected UTF8: create it with "createdb --encoding=UTF8 --template=template0"`,
    );
  }
  return found.space;
}
