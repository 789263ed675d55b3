import type { Database, Method, Work } from '../database.ts';
import type { Query } from '../query.ts';
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
  const writing =
    (begin: string) =>
    <Args extends readonly unknown[], Result>(work: Work<Args, Result>): Method<Args, Result> =>
    (...args) =>
      server.write((): Query<Result> => work(connection, ...args), begin);
  /**
   * One statement sees one state of the database by itself: a transaction around it would cost two more round trips. So a
   * method does without if its last call needed only one.
   */
  const reading = (together: Server['read']): Database['reads'] =>
    function reads<Args extends readonly unknown[], Result>(work: Work<Args, Result>) {
      let isOne = true;
      return async (...args: Args) => {
        const query = (): Query<Result> => work(connection, ...args);
        const found = isOne ? await server.readAlone(query) : null;
        if (found !== null) return found.result;
        let statements = 0;
        const result = await together(() => {
          statements = 0;
          return counted(query(), () => (statements += 1));
        });
        isOne = statements <= 1;
        return result;
      };
    };
  return {
    now,
    isShared: true,
    writes: writing(`BEGIN; SELECT pg_advisory_xact_lock(${space})`),
    writesBeside: writing(`BEGIN; SELECT pg_advisory_xact_lock_shared(${space})`),
    reads: reading((work) => server.read(work)),
    readsLatest: reading((work) => server.readLatest(work)),
    alone:
      (work) =>
      (...args) =>
        server.alone(() => work(connection, ...args)),
  };
}

/** The same query, which reports each statement that it asks for. */
function* counted<Result>(query: Query<Result>, report: () => void): Query<Result> {
  const steps = query[Symbol.iterator]();
  let step = steps.next();
  while (step.done !== true) {
    report();
    step = steps.next(yield step.value);
  }
  return step.value;
}
