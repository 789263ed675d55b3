import { type SqliteConnection, sqliteStatements } from './sqlite/connection.ts';
import { type Connection, type Query, runNow } from './query.ts';

/** Reads or writes on a connection, inside a transaction. */
export type Work<Args extends readonly unknown[], Result> = (
  connection: Connection,
  ...args: Args
) => Query<Result>;

/** A method of a port of the store. Rejects with a `StoreError` when the disk or the database fails. */
export type Method<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;
/** The means by which each family of the store implements its port, next to its SQL. */
export interface Database {
  readonly now: () => number;
  /** Whether several processes use it. */
  readonly isShared: boolean;
  /** A method that resolves once `work` is on disk. */
  readonly writes: <Args extends readonly unknown[], Result>(
    work: Work<Args, Result>,
  ) => Method<Args, Result>;
  /** Like `writes`, but on a server others may write concurrently: `work` locks the sessions that it changes. */
  readonly writesBeside: Database['writes'];
  /** A method that only reads, all of it at one moment. */
  readonly reads: <Args extends readonly unknown[], Result>(
    work: Work<Args, Result>,
  ) => Method<Args, Result>;
  /** Like `reads`, but each statement sees what others have committed before it. */
  readonly readsLatest: Database['reads'];
  /** A method of one statement, which on a server has no transaction around it and may write. */
  readonly alone: Database['reads'];
}

/** A database in a file, or in memory. */
export interface SqliteDatabase extends Database {
  /** Commits the collected writes and closes the connection. */
  readonly close: () => void;
}

/** The writes of one event-loop turn are one commit. */
export function createDatabase(sqlite: SqliteConnection, now: () => number): SqliteDatabase {
  const commits = createGroupCommit(sqlite);
  const connection = sqliteStatements(sqlite);
  const writes: Database['writes'] =
    (work) =>
    (...args) =>
      commits.write(() => runNow(work(connection, ...args)));
  const reads: Database['reads'] =
    (work) =>
    async (...args) =>
      sqlite.guarded(() => runNow(work(connection, ...args)));
  return {
    now,
    isShared: false,
    writes,
    writesBeside: writes,
    reads,
    readsLatest: reads,
    alone: reads,
    close() {
      commits.flush();
      sqlite.close();
    },
  };
}

/** Runs inside the transaction and returns the reply for when it is on disk. */
interface Job {
  readonly attempt: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Puts all writes of one event-loop turn into one transaction, in order: a commit waits for the disk, whatever its
 * size. A write that throws does not roll back the others: then all of them run again, each in a savepoint.
 */
function createGroupCommit(connection: SqliteConnection) {
  let waiting: Job[] = [];

  function transaction<Result>(work: () => Result): Result {
    return connection.guarded(() => connection.transaction(work));
  }

  /**
   * Without savepoints, unless a write throws: SQLite keeps a copy of each page that a savepoint changes, and searches
   * all of them after each statement, which takes a third of the time of a large commit.
   */
  function commit(jobs: readonly Job[]): readonly (() => void)[] {
    try {
      return transaction(() => jobs.map((job) => job.attempt()));
    } catch (error) {
      const isOfOneWrite = connection.troubleOf(error) === null && jobs.length > 1;
      return isOfOneWrite ? commitApart(jobs) : jobs.map((job) => () => job.reject(error));
    }
  }

  function commitApart(jobs: readonly Job[]): readonly (() => void)[] {
    try {
      return transaction(() => jobs.map(attemptApart));
    } catch (error) {
      return jobs.map((job) => () => job.reject(error));
    }
  }

  function attemptApart(job: Job): () => void {
    try {
      return connection.savepoint(job.attempt);
    } catch (error) {
      if (connection.troubleOf(error) !== null) throw error;
      return () => job.reject(error);
    }
  }

  function flush(): void {
    const jobs = waiting;
    waiting = [];
    if (jobs.length === 0) return;
    for (const answer of commit(jobs)) answer();
  }

  return {
    flush,
    /** Resolves once `work` is on disk. @param work may run twice, so its only effects are those on the database */
    write: <Result>(work: () => Result): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        const attempt = (): (() => void) => {
          const result = work();
          return () => resolve(result);
        };
        waiting.push({ attempt, reject });
      }),
  };
}
