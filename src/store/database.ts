import type { Connection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';

/** Reads or writes on a connection, inside a transaction; synchronous. */
type Work<Args extends readonly unknown[], Result> = (
  connection: Connection,
  ...args: Args
) => Result;

/** A method of a port of the store. Rejects with a `StoreError` when the disk or the database fails. */
type Method<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;

/** The means by which each family of the store implements its port, next to its SQL. */
export interface Database {
  readonly connection: Connection;
  readonly now: () => number;
  /** A method that resolves once `work` is on disk, in one commit with the other writes of its event-loop turn. */
  readonly writes: <Args extends readonly unknown[], Result>(
    work: Work<Args, Result>,
  ) => Method<Args, Result>;
  /** A method that only reads. */
  readonly reads: <Args extends readonly unknown[], Result>(
    work: Work<Args, Result>,
  ) => Method<Args, Result>;
  /** Commits the collected writes and closes the connection. */
  readonly close: () => void;
}

export function createDatabase(connection: Connection, now: () => number): Database {
  const commits = new GroupCommit(connection);
  return {
    connection,
    now,
    writes:
      (work) =>
      (...args) =>
        commits.write(() => work(connection, ...args)),
    reads:
      (work) =>
      async (...args) =>
        connection.guarded(() => work(connection, ...args)),
    close() {
      commits.flush();
      connection.close();
    },
  };
}
