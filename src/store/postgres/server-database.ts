import type { Database, Method, Work } from '../database.ts';
import type { Query } from '../query.ts';
import type { Server } from './server.ts';
import { ServerStatements } from './server-statements.ts';

export interface ServerDatabase extends Database {
  /** Makes a method of one statement, without a transaction around it. */
  readonly alone: Database['writes'];
}

/**
 * The families of the store on a server. Each call is a transaction that sees what others have committed before each of
 * its statements. Locks keep others from changing the same meanwhile: a write holds the lock of the whole store, or shares
 * it and holds those of its sessions.
 *
 * @param options.space the key of the store's advisory locks
 * @param options.isHub whether all other machines that send are those of a hub
 */
export function createServerDatabase(
  server: Server,
  now: () => number,
  { space, isHub }: { readonly space: number; readonly isHub: boolean },
): ServerDatabase {
  const connection = new ServerStatements(space, { isHub });
  const within =
    (begin: string) =>
    <Args extends readonly unknown[], Result>(work: Work<Args, Result>): Method<Args, Result> =>
    (...args) =>
      server.transaction(begin, (): Query<Result> => work(connection, ...args));
  return {
    now,
    isShared: true,
    writes: within(`BEGIN; SELECT pg_advisory_xact_lock(${space})`),
    writesBeside: within(`BEGIN; SELECT pg_advisory_xact_lock_shared(${space})`),
    reads: within('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY'),
    readsLatest: within('BEGIN TRANSACTION READ ONLY'),
    alone:
      (work) =>
      (...args) =>
        server.alone(() => work(connection, ...args)),
  };
}
