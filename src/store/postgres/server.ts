import { setTimeout as delay } from 'node:timers/promises';

import type { PoolClient } from 'pg';

import { StoreError } from '../../core/store-aging.ts';
import { backoffMs } from '../../platform/retry.ts';
import type { DatabaseReply, DatabaseRequest, Query } from '../query.ts';
import { bindable, type Row } from '../row.ts';
import type { DatabaseAddress } from './database-url.ts';
import { forPostgres } from './dialect.ts';
import { type ConnectionUse, createConnections } from './server-connections.ts';
import { hasMetAnother, isOutdated, serverErrorOf } from './server-error.ts';

/** Connections of one process: a claim, some settlements and history queries run concurrently. */
const MOST_CONNECTIONS = 8;
const MOST_TRIES = 8;
const LONGEST_REST_MS = 5_000;
/** After a write failed because the disk was full, how long others are expected to fail, ms. */
const FULL_MS = 10_000;
/** Statements that are prepared once per connection; some are written for a number of values. */
const MOST_PREPARED = 500;

/** The connections of this process to its database. */
export type Server = ReturnType<typeof connectTo>;

export function connectTo(
  address: DatabaseAddress,
  options: {
    readonly process: string;
    readonly random: () => number;
    readonly readUrl?: (() => Promise<string>) | undefined;
  },
) {
  const { process: processName, random, readUrl } = options;
  const connections = createConnections(address, {
    process: processName,
    most: MOST_CONNECTIONS,
    readUrl,
  });
  const { pool } = connections;
  const prepared = new Map<string, { readonly text: string; readonly name: string }>();
  const semaphore = createSemaphore(MOST_CONNECTIONS);
  let failures = 0;
  let restsUntil = 0;
  let lastError: StoreError | null = null;
  let full: { readonly error: StoreError; readonly at: number } | null = null;

  const errorOf = (error: unknown): unknown => serverErrorOf(error, address.place);

  /** After a failure to connect, further calls fail immediately for a while. */
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
      const trouble = errorOf(error);
      if (trouble instanceof StoreError && trouble.code === 'full') {
        full = { error: trouble, at: performance.now() };
      }
      throw trouble;
    }
  }

  function statementOf(sql: string): { readonly text: string; readonly name?: string } {
    const found = prepared.get(sql);
    if (found !== undefined) return found;
    const text = forPostgres(sql);
    if (prepared.size >= MOST_PREPARED) return { text };
    const statement = { text, name: `s${prepared.size}` };
    prepared.set(sql, statement);
    return statement;
  }

  async function send(
    client: PoolClient,
    { sql, values }: DatabaseRequest,
  ): Promise<DatabaseReply> {
    const query = { ...statementOf(sql), values: values.map(bindable) };
    const { rows, rowCount } = await answered(client.query<Row>(query));
    return { rows, changes: rowCount ?? 0 };
  }

  async function run<Result>(client: PoolClient, query: Query<Result>): Promise<Result> {
    const steps = query[Symbol.iterator]();
    let step = steps.next();
    while (step.done !== true) step = steps.next(await send(client, step.value));
    return step.value;
  }

  async function lend<Result>(task: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await connection();
    let isSound = false;
    try {
      const result = await task(client);
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

  /** Repeats work after a migration, or if it met another transaction: it may have no effect but on the database. */
  async function again<Result>(task: (client: PoolClient) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await lend(task);
      } catch (error) {
        if (isOutdated(error) && tries <= MOST_CONNECTIONS) continue;
        if (!hasMetAnother(error) || tries >= MOST_TRIES) throw error;
        await delay(random() * 20 * tries);
      }
    }
  }

  return {
    /** Runs a query in a transaction that begins with `begin`. */
    transaction: <Result>(begin: string, work: () => Query<Result>): Promise<Result> =>
      again(async (client) => {
        await answered(client.query(begin));
        const result = await run(client, work());
        await answered(client.query('COMMIT'));
        return result;
      }),
    /** Runs a query of one statement, without a transaction around it. */
    alone: <Result>(work: () => Query<Result>): Promise<Result> =>
      again((client) => run(client, work())),
    open: (use: ConnectionUse) => connections.open(use),
    /** The error of a write for which the disk was too full lately, or null. A small one may succeed all the same. */
    fullness: () => (full !== null && performance.now() - full.at < FULL_MS ? full.error : null),
    errorOf,
    close: () => connections.close(),
  };
}

/** Lets at most `most` callers run at a time; the others wait in order. */
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

/** False if the connection is no longer usable. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
