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
  /**
   * One statement sees one state of the database by itself: a transaction around it would cost two more round trips. So a
   * method does without until it turns out to need several statements.
   */
  const reading = (together: Server['read']): Database['reads'] =>
    function reads<Args extends readonly unknown[], Result>(work: Work<Args, Result>) {
      let isOne = true;
      return async (...args: Args) => {
        const query = (): Query<Result> => work(connection, ...args);
        const found = isOne ? await server.readAlone(query) : null;
        isOne = found !== null;
        return found === null ? together(query) : found.result;
      };
    };
  return {
    now,
    isShared: true,
    writes: writing(`BEGIN; SELECT pg_advisory_xact_lock(${space})`),
    writesBeside: writing(beside),
    gathers: (work) => gathering((calls) => server.write(() => work(connection, calls), beside)),
    reads: reading((work) => server.read(work)),
    readsLatest: reading((work) => server.readLatest(work)),
    alone:
      (work) =>
      (...args) =>
        server.alone(() => work(connection, ...args)),
  };
}
