import type { Row, Value } from './row.ts';

/** A statement that a database is asked to run, with the values of its parameters. */
export interface DatabaseRequest {
  readonly sql: string;
  readonly values: readonly Value[];
}

export interface DatabaseReply {
  readonly rows: readonly Row[];
  /** How many rows were changed. */
  readonly changes: number;
}

/**
 * Work on a database: it yields statements, gets their answers, and ends with a result. Write it as a generator, and
 * read the result of another one with `yield*`. It may be stopped and run again from its start, so it must have no
 * effect but on the database.
 *
 * On SQLite no statement is ever yielded: each is answered immediately, and the whole runs synchronously.
 */
export type Query<Result> = Iterable<DatabaseRequest, Result, DatabaseReply>;

/** Conditions on deliveries, and on questions. */
export interface Claims {
  /** Claimed by this process. */
  readonly own: string;
  /** Claimed by a process that is gone; asked when this one starts. */
  readonly left: string;
  /** Questions whose hooks wait for this process, or for one that is gone. */
  readonly leftQuestions: string;
}

/**
 * The statements of a database, inside a transaction. NUL is removed from texts.
 *
 * On a server, several processes write concurrently. A write locks everything, unless its family declares it with
 * `writesBeside`: then it locks the sessions that it changes.
 */
export interface Connection {
  readonly claims: Claims;
  lockSessions(keys: readonly string[]): Query<number>;
  /** Which of these machines may no longer send to the hub; a machine that is not of a hub may. */
  revoked(machines: readonly string[]): Query<ReadonlySet<string>>;
  lockSessionsOf(deliveryIds: readonly string[]): Query<number>;
  /**
   * Rows of `SELECT_DELIVERIES` with their sessions locked; without those of sessions that another process has locked.
   *
   * @param condition of WHERE, with the order and the limit
   */
  deliveriesToClaim(condition: string, ...values: readonly Value[]): Query<readonly Row[]>;
  /** Numbers for the next events, in their order; null: each gets its number when it is added. */
  eventNumbers(count: number): Query<readonly number[] | null>;
  /** All events up to this number are there to be read; later ones may come before others. Null: all that are there. */
  visibleEvents(): Query<number | null>;
  all(sql: string, ...values: readonly Value[]): Query<readonly Row[]>;
  /** The first row. */
  get(sql: string, ...values: readonly Value[]): Query<Row | null>;
  run(sql: string, ...values: readonly Value[]): Query<number>;
}

/** The result of a query that asks nothing: both its iterator and the end of that. */
export class AnsweredQuery<Result> implements IteratorReturnResult<Result> {
  readonly done = true;
  readonly value: Result;

  constructor(value: Result) {
    this.value = value;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): this {
    return this;
  }
}

/** Runs a query on a database that answers synchronously. */
export function runNow<Result>(query: Query<Result>): Result {
  const step = query[Symbol.iterator]().next();
  if (step.done === true) return step.value;
  throw new Error('Cannot run a query synchronously: its database is asynchronous');
}

/** The results of a query for each of `items`, one after the other. */
export function* mapEach<Item, Result>(
  items: readonly Item[],
  query: (item: Item) => Query<Result>,
): Query<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(yield* query(item));
  return results;
}
