import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';

import { StoreError } from '../../core/store-aging.ts';
import { backoffMs } from '../../platform/retry.ts';
import type { Query } from '../query.ts';
import type { Row } from '../row.ts';
import type { DatabaseAddress } from './database-url.ts';
import { hasMetAnother, isOutdated, serverErrorOf } from './server-error.ts';
import { createStatements } from './statements.ts';

/** Connections of one process; a claim and some settlements run at once, and people ask for history. */
const MOST_CONNECTIONS = 8;
const CONNECT_MS = 5_000;
/** A statement or a wait for a lock that takes longer is given up. */
const STATEMENT_MS = 30_000;
/** A server that has not answered for longer than a statement may take is gone. */
const SILENCE_MS = 35_000;
const MOST_TRIES = 8;
const LONGEST_REST_MS = 5_000;

/** The connections of this process to its database. */
export interface Server {
  /** Runs a query in a transaction, again if it met another one; so it may have no effect but on the database. */
  write<Result>(work: () => Query<Result>, begin: string): Promise<Result>;
  /** Runs a query of one statement, without a transaction around it. */
  alone<Result>(work: () => Query<Result>): Promise<Result>;
  /** Runs a query that only reads, on one state of the database; again after a migration. */
  read<Result>(work: () => Query<Result>): Promise<Result>;
  /** The same, but each statement sees what was committed before it. */
  readLatest<Result>(work: () => Query<Result>): Promise<Result>;
  /** A connection of its own, not yet connected. */
  client(): Client;
  /** What a failed call becomes. */
  errorOf(error: unknown): unknown;
  close(): Promise<void>;
}

export function connectTo(
  address: DatabaseAddress,
  { process: processName, random }: { readonly process: string; readonly random: () => number },
): Server {
  const config = configOf(address, processName);
  const pool = new Pool({ ...config, max: MOST_CONNECTIONS, idleTimeoutMillis: 60_000 });
  // An idle connection that breaks is replaced by the next use.
  pool.on('error', () => {});
  // One in use tells its query as well.
  pool.on('connect', (client) => void client.on('error', () => {}));
  const statements = createStatements((client, query) => answered(client.query<Row>(query)));
  const semaphore = createSemaphore(MOST_CONNECTIONS);
  let failures = 0;
  let restsUntil = 0;
  let lastError: StoreError | null = null;

  const errorOf = (error: unknown): unknown => serverErrorOf(error, address.place);

  /** After a failure to connect, further calls fail at once for a while. */
  async function connection(): Promise<PoolClient> {
    // Not in the pool, which would take a long wait for a failure to connect.
    await semaphore.acquire();
    if (lastError !== null && performance.now() < restsUntil) {
      semaphore.release();
      throw lastError;
    }
    try {
      const client = await pool.connect();
      failures = 0;
      lastError = null;
      return client;
    } catch (error) {
      semaphore.release();
      failures += 1;
      restsUntil = performance.now() + backoffMs(failures, random(), { capMs: LONGEST_REST_MS });
      const trouble = errorOf(error);
      lastError = trouble instanceof StoreError ? trouble : null;
      throw trouble;
    }
  }

  /** What the query itself throws, such as an error of a decision, passes through. */
  async function answered<Answer>(call: Promise<Answer>): Promise<Answer> {
    try {
      return await call;
    } catch (error) {
      throw errorOf(error);
    }
  }

  async function run<Result>(client: PoolClient, query: Query<Result>): Promise<Result> {
    const steps = query[Symbol.iterator]();
    let step = steps.next();
    while (step.done !== true) step = steps.next(await statements.answer(client, step.value));
    return step.value;
  }

  async function transaction<Result>(begin: string, work: () => Query<Result>): Promise<Result> {
    const client = await connection();
    let isSound = false;
    try {
      await answered(client.query(begin));
      const result = await run(client, work());
      await answered(client.query('COMMIT'));
      isSound = true;
      return result;
    } catch (error) {
      // Without an answer of the server, the connection may still wait for one: its end ends the transaction too.
      isSound = !(error instanceof StoreError) && !isOutdated(error) && (await rollBack(client));
      throw error;
    } finally {
      client.release(!isSound);
      semaphore.release();
    }
  }

  async function alone<Result>(work: () => Query<Result>): Promise<Result> {
    const client = await connection();
    let isSound = false;
    try {
      const result = await run(client, work());
      isSound = true;
      return result;
    } catch (error) {
      isSound = !(error instanceof StoreError) && !isOutdated(error);
      throw error;
    } finally {
      client.release(!isSound);
      semaphore.release();
    }
  }

  async function write<Result>(work: () => Query<Result>, begin: string): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await transaction(begin, work);
      } catch (error) {
        if (isOutdated(error) && tries <= MOST_CONNECTIONS) continue;
        if (!hasMetAnother(error) || tries === MOST_TRIES) throw error;
        await delay(random() * 20 * tries);
      }
    }
  }

  /** Again after a migration. */
  async function again<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const mayPass = isOutdated(error) || hasMetAnother(error);
        if (!mayPass || tries > MOST_CONNECTIONS) throw error;
      }
    }
  }

  return {
    write,
    alone: (work) => again(() => alone(work)),
    read: (work) => again(() => transaction(BEGIN_READ, work)),
    readLatest: (work) => again(() => transaction('BEGIN TRANSACTION READ ONLY', work)),
    client: () => new Client(config),
    errorOf,
    close: () => pool.end(),
  };
}

/** Lets `most` go on at a time, the others in their order. */
function createSemaphore(most: number) {
  const waiting: (() => void)[] = [];
  let free = most;
  return {
    acquire(): Promise<void> {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free -= 1;
      return Promise.resolve();
    },
    release(): void {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

const BEGIN_READ = 'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** False if the connection cannot be used any more. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

function configOf(address: DatabaseAddress, processName: string): ClientConfig {
  return {
    host: address.host,
    port: address.port,
    database: address.database,
    ...(address.user !== undefined && { user: address.user }),
    ...(address.password !== undefined && { password: address.password }),
    ...(address.options !== undefined && { options: address.options }),
    ssl: address.tls === null ? false : tlsOptions(address.tls, address.place),
    application_name: processName,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    query_timeout: SILENCE_MS,
    keepAlive: true,
    types: { getTypeParser: readerOf },
  };
}

function tlsOptions(
  { caFile }: NonNullable<DatabaseAddress['tls']>,
  place: string,
): { readonly ca?: string; readonly rejectUnauthorized: true } {
  if (caFile === null) return { rejectUnauthorized: true };
  try {
    return { ca: readFileSync(caFile, 'utf8'), rejectUnauthorized: true };
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
