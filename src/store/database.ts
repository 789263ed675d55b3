import { type SqliteConnection, SqliteStatements } from './sqlite/connection.ts';
import { GroupCommit } from './sqlite/group-commit.ts';
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
}

/** A database in a file, or in memory. */
export interface SqliteDatabase extends Database {
  /** Commits the collected writes and closes the connection. */
  readonly close: () => void;
}

/** The writes of one event-loop turn are one commit. */
export function createDatabase(sqlite: SqliteConnection, now: () => number): SqliteDatabase {
  const commits = new GroupCommit(sqlite);
  const connection = new SqliteStatements(sqlite);
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
    close() {
      commits.flush();
      sqlite.close();
    },
  };
}
