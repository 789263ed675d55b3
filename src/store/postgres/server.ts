import { setTimeout as delay } from 'node:timers/promises';

import type { PoolClient } from 'pg';

import { StoreError } from '../../core/store-aging.ts';
import { backoffMs } from '../../platform/retry.ts';
import type { Query } from '../query.ts';
import type { Row } from '../row.ts';
import type { DatabaseAddress } from './database-url.ts';
import { type Connections, createConnections } from './server-connections.ts';
import { hasMetAnother, isOutdated, serverErrorOf } from './server-error.ts';
import { createStatements } from './statements.ts';

/** Connections of one process: a claim, some settlements and history queries run concurrently. */
const MOST_CONNECTIONS = 8;
const MOST_TRIES = 8;
const LONGEST_REST_MS = 5_000;
/** After a write failed because the disk was full, how long others are expected to fail, ms. */
const FULL_MS = 10_000;

/** The connections of this process to its database. */
export interface Server {
  /** Runs a query in a transaction, again if it met another one; so it may have no effect but on the database. */
  write<Result>(work: () => Query<Result>, begin: string): Promise<Result>;
  /** Runs a query of one statement, without a transaction around it. */
  alone<Result>(work: () => Query<Result>): Promise<Result>;
  /** Like `alone`, for a query that only reads; null if it has more than one statement. */
  readAlone<Result>(work: () => Query<Result>): Promise<{ readonly result: Result } | null>;
  /** Runs a query that only reads, on one state of the database; again after a migration. */
  read<Result>(work: () => Query<Result>): Promise<Result>;
  /** Like `read`, but each statement sees what was committed before it. */
  readLatest<Result>(work: () => Query<Result>): Promise<Result>;
  /** A separate connection. */
  open: Connections['open'];
  /** The error of a write for which the disk was too full lately, or null. A small one may succeed all the same. */
  fullness(): StoreError | null;
  /** What a failed call becomes. */
  errorOf(error: unknown): unknown;
  close(): Promise<void>;
}

export function connectTo(
  address: DatabaseAddress,
  {
    process: processName,
    random,
    readUrl,
  }: {
    /** Its name, which others see. */
    readonly process: string;
    readonly random: () => number;
    /** Reads the URL again, for a password that has changed. Unset: it stays. */
    readonly readUrl?: (() => Promise<string>) | undefined;
  },
): Server {
  const connections = createConnections(address, {
    process: processName,
    most: MOST_CONNECTIONS,
    readUrl,
  });
  const { pool } = connections;
  const statements = createStatements((client, query) => answered(client.query<Row>(query)));
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

  async function runOne<Result>(
    client: PoolClient,
    query: Query<Result>,
  ): Promise<{ readonly result: Result } | null> {
    const steps = query[Symbol.iterator]();
    let step = steps.next();
    if (step.done !== true) {
      step = steps.next(await statements.answer(client, step.value));
    }
    return step.done === true ? { result: step.value } : null;
  }

  async function alone<Result>(task: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await connection();
    let isSound = false;
    try {
      const result = await task(client);
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

  /** Repeats an attempt after a migration, or if it met another transaction. */
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
    alone: (work) => again(() => alone((client) => run(client, work()))),
    readAlone: (work) => again(() => alone((client) => runOne(client, work()))),
    read: (work) => again(() => transaction(BEGIN_READ, work)),
    readLatest: (work) => again(() => transaction('BEGIN TRANSACTION READ ONLY', work)),
    open: (use) => connections.open(use),
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

const BEGIN_READ = 'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** False if the connection is no longer usable. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
