import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';

import { Client, type ClientBase, type ClientConfig, Pool } from 'pg';

import { StoreError } from '../../core/store-aging.ts';
import { within } from '../../platform/time.ts';
import { type DatabaseAddress, readDatabaseUrl } from './database-url.ts';

const CONNECT_MS = 5_000;
/** How long a password that was read is used for further connections, ms. */
const FRESH_MS = 5_000;
/** How long an orderly end waits for the server, ms. */
const END_MS = 2_000;
/** A connection of the pool that was not used for longer is closed; by the server soon after, if this host is lost. */
const IDLE_MS = 60_000;

interface Limits {
  /** Settings of the server; times in ms, 0: none. */
  readonly server: Readonly<Record<string, number | 'off'>>;
  /** A server that has not answered for longer is gone, ms; 0: never. */
  readonly silenceMs: number;
}

/** A host that is lost is noticed by the server in 20 s, also where something waits for the network, s and ms. */
const LOST_HOST = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 2,
  tcp_user_timeout: 20_000,
};

const uses = {
  /**
   * Statements of the store. Where there is an index, it is used: otherwise the server would keep a plan that reads a whole
   * table, if it made it when the table was almost empty. A table without one seems so expensive to it then that it would
   * compile the statement.
   */
  work: {
    server: {
      enable_seqscan: 'off',
      jit: 'off',
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 30_000,
      idle_session_timeout: IDLE_MS + 15_000,
    },
    silenceMs: 35_000,
  },
  /** Asks each second. Its end ends the ownership, so the server ends it soon if this host is lost, or stopped. */
  watch: { server: { statement_timeout: 4_000, idle_session_timeout: 15_000 }, silenceMs: 5_000 },
  /** A statement may rewrite a large table. */
  migration: {
    server: { statement_timeout: 0, idle_in_transaction_session_timeout: 60_000 },
    silenceMs: 0,
  },
} satisfies Record<string, Limits>;

export type ConnectionUse = keyof typeof uses;

export interface OpenConnection {
  readonly client: Client;
  /** Orderly, if the server answers. */
  end(): Promise<void>;
  cut(): void;
}

/** @param readUrl reads the URL again: its password is used for connections from then on. Unset: it stays */
export function createConnections(
  address: DatabaseAddress,
  {
    process: processName,
    most,
    readUrl,
  }: {
    readonly process: string;
    /** Of the pool, at a time. */
    readonly most: number;
    readonly readUrl?: (() => Promise<string>) | undefined;
  },
) {
  const sockets = new Set<Socket>();
  const password = freshPassword(address, readUrl);
  const tls = address.tls === null ? false : tlsOptions(address.tls, address.place);

  function connect(): Socket {
    const socket = new Socket();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  const configFor = (use: ConnectionUse): ClientConfig => ({
    host: address.host,
    port: address.port,
    database: address.database,
    ...(address.user !== undefined && { user: address.user }),
    ...(address.password !== undefined && { password }),
    ...(address.options !== undefined && { options: address.options }),
    ssl: tls,
    application_name: processName,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: uses[use].silenceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    stream: connect,
    types: { getTypeParser: readerOf },
  });

  const pool = new Pool({
    ...configFor('work'),
    max: most,
    idleTimeoutMillis: IDLE_MS,
    verify: (client, ready) => void limitNew(client, ready),
  });
  // An idle connection that breaks is replaced by the next use.
  pool.on('error', () => {});
  // One in use reports it to its query as well.
  pool.on('connect', (client) => void client.on('error', () => {}));

  return {
    pool,
    /** Opens one outside of the pool. */
    async open(use: ConnectionUse): Promise<OpenConnection> {
      const socket = connect();
      const cut = (): void => void socket.destroy();
      const client = new Client({ ...configFor(use), stream: () => socket });
      client.on('error', () => {});
      try {
        await client.connect();
        await limit(client, use);
      } catch (error) {
        cut();
        throw error;
      }
      const end = async (): Promise<void> => {
        await within(
          client.end().catch(() => {}),
          END_MS,
        );
        cut();
      };
      return { client, end, cut };
    },
    /** Ends those of the pool. */
    async close(): Promise<void> {
      await within(pool.end(), END_MS);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A rotated password is used from the next connection on; while it cannot be read, the previous one is used. */
function freshPassword(
  { password: first }: DatabaseAddress,
  readUrl: (() => Promise<string>) | undefined,
): () => Promise<string> {
  let password = first ?? '';
  let readAt = performance.now();
  let reading: Promise<void> | null = null;

  async function readAgain(read: () => Promise<string>): Promise<void> {
    try {
      password = readDatabaseUrl(await read()).password ?? '';
    } catch {
      // The server decides whether the previous one is still valid.
    }
    readAt = performance.now();
    reading = null;
  }

  return async () => {
    if (readUrl !== undefined && performance.now() - readAt > FRESH_MS) {
      await (reading ??= readAgain(readUrl));
    }
    return password;
  };
}

async function limitNew(
  client: Pick<ClientBase, 'query'>,
  ready: (error?: Error) => void,
): Promise<void> {
  try {
    await limit(client, 'work');
  } catch (error) {
    ready(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  ready();
}

/** By statements, because a pooler refuses most parameters of a connection. */
async function limit(client: Pick<ClientBase, 'query'>, use: ConnectionUse): Promise<void> {
  const settings = Object.entries({ ...LOST_HOST, ...uses[use].server });
  await client.query(settings.map(([name, value]) => `SET ${name} = ${value}`).join('; '));
}

/** The authorities are read for each connection, as `pg` takes these options anew for each. */
function tlsOptions(
  { caFile }: NonNullable<DatabaseAddress['tls']>,
  place: string,
): { readonly ca?: string; readonly rejectUnauthorized: true } {
  if (caFile === null) return { rejectUnauthorized: true };
  let authorities = readAuthorities(caFile, place);
  return {
    rejectUnauthorized: true,
    get ca() {
      try {
        authorities = readAuthorities(caFile, place);
      } catch {
        // While they cannot be read, the previous ones are used.
      }
      return authorities;
    },
  };
}

function readAuthorities(path: string, place: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StoreError(
      'io',
      `Cannot use the database ${place}: its sslrootcert cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

/** By the numbers of types: https://github.com/postgres/postgres/blob/REL_15_0/src/include/catalog/pg_type.dat */
const readers = new Map<number, (text: string) => unknown>([
  // boolean; conditions are 1 and 0, as on SQLite.
  [16, (text) => (text === 't' ? 1 : 0)],
  // bytea, as "\\x" and two digits per byte.
  [17, (text) => Uint8Array.from(Buffer.from(text.slice(2), 'hex'))],
  // bigint, integer, numeric
  [20, wholeNumber],
  [23, wholeNumber],
  [1700, wholeNumber],
]);

function readerOf(type: number): (text: string) => unknown {
  return readers.get(type) ?? ((text) => text);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`Cannot read ${text}: expected a whole number below 2^53`);
}
