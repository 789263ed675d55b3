import type { Database, Method, Work } from '../database.ts';
import type { Query } from '../query.ts';
import { gathering } from './gathering.ts';
import type { Server } from './server.ts';
import { ServerStatements } from './server-statements.ts';

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
): Database & { readonly alone: Database['writes'] } {
  const connection = new ServerStatements(space, { isHub });
  const beside = `BEGIN; SELECT pg_advisory_xact_lock_shared(${space})`;
  const writing =
    (begin: string) =>
    <Args extends readonly unknown[], Result>(work: Work<Args, Result>): Method<Args, Result> =>
    (...args) =>
      server.write((): Query<Result> => work(connection, ...args), begin);
  return {
    now,
    isShared: true,
    writes: writing(`BEGIN; SELECT pg_advisory_xact_lock(${space})`),
    writesBeside: writing(beside),
    gathers: (work) => gathering((calls) => server.write(() => work(connection, calls), beside)),
    reads:
      (work) =>
      (...args) =>
        server.read(() => work(connection, ...args)),
    readsLatest:
      (work) =>
      (...args) =>
        server.readLatest(() => work(connection, ...args)),
    alone:
      (work) =>
      (...args) =>
        server.alone(() => work(connection, ...args)),
  };
}
