import { SELECT_DELIVERIES } from '../deliveries.ts';
import type { DatabaseRequest, Connection, Query, DatabaseReply } from '../query.ts';
import { jsonTexts, read, type Row, type Value } from '../row.ts';
import type { Database, Method, Work } from '../database.ts';
import type { Server } from './server.ts';

/** A process without a connection has exited. */
const CLAIMED_BY_NONE_ELSE = `(claimed_by = current_setting('application_name') OR NOT EXISTS (
  SELECT 1 FROM pg_stat_activity WHERE application_name = claimed_by
))`;

/** Numbers that a store has room for among the advisory locks, which are 63 bits long. */
const MOST_NUMBERS = 2 ** 48;
/** The last event number, committed or not. */
const LAST_NUMBER =
  "coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'seq')::regclass), 0)";

const all: Connection['all'] = (sql, ...values) => asking({ sql, values }, ({ rows }) => rows);
const get: Connection['get'] = (sql, ...values) =>
  asking({ sql, values }, ({ rows }) => rows[0] ?? null);
const run: Connection['run'] = (sql, ...values) =>
  asking({ sql, values }, ({ changes }) => changes);

/**
 * The statements of queries on a server: each is yielded for the driver to send.
 *
 * @param space the first key of the advisory locks, which other stores in the same database do not use
 * @param isHub whether all other machines that send are those of a hub
 */
function serverStatements(space: number, isHub: boolean): Connection {
  /** The advisory lock for the number 0 of an event, as SQL; those of other stores are elsewhere. */
  const firstNumber = `(${space & 0x3f_ff}::bigint * ${MOST_NUMBERS})`;
  return {
    claims: {
      own: "claimed_until IS NOT NULL AND claimed_by = current_setting('application_name')",
      left: `claimed_until IS NOT NULL AND ${CLAIMED_BY_NONE_ELSE}`,
      leftQuestions: `machine IS NULL AND ${CLAIMED_BY_NONE_ELSE}`,
    },
    all,
    get,
    run,

    /** In the order of their numbers, so that two transactions never deadlock. */
    lockSessions(keys: readonly string[]): Query<number> {
      return run(
        `SELECT pg_advisory_xact_lock(${space}, number) FROM (
          SELECT DISTINCT hashtext(value) AS number FROM json_each(?) ORDER BY number
        ) AS numbers`,
        jsonTexts(keys),
      );
    },

    /** Until the transaction ends, the last step of an erasure waits; it removes what was stored meanwhile. */
    *revoked(machines: readonly string[]): Query<ReadonlySet<string>> {
      if (!isHub || machines.length === 0) return new Set();
      const rows = yield* all(
        `SELECT value AS name FROM json_each(?) WHERE NOT EXISTS (
          SELECT 1 FROM machines WHERE name = value AND revoked_at IS NULL
        )`,
        jsonTexts([...new Set(machines)]),
      );
      return new Set(rows.map((row) => read.text(row, 'name')));
    },

    /** A shared lock shows others that higher event numbers are pending, until the transaction ends. */
    *eventNumbers(count: number): Query<readonly number[]> {
      yield* run(`SELECT pg_advisory_xact_lock_shared(${firstNumber} + ${LAST_NUMBER})`);
      const rows = yield* all(
        "SELECT nextval(pg_get_serial_sequence('events', 'seq')) AS seq FROM generate_series(1, ?)",
        count,
      );
      return rows.map((row) => read.integer(row, 'seq'));
    },

    /** The last number is read first: a transaction with a lower one then holds the lock, or has ended. */
    *visibleEvents(): Query<number> {
      const last = yield* get(`SELECT ${LAST_NUMBER} AS seq`);
      const underWay = yield* get(
        `SELECT min((classid::bigint << 32 | objid::bigint) - ${firstNumber}) AS seq FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND (classid::bigint << 32 | objid::bigint) BETWEEN ${firstNumber} AND ${firstNumber} + ${MOST_NUMBERS - 1}`,
      );
      const bounds = [last, underWay].flatMap((row) =>
        row === null || row['seq'] === null ? [] : [read.integer(row, 'seq')],
      );
      return Math.min(...bounds);
    },

    lockSessionsOf(deliveryIds: readonly string[]): Query<number> {
      return run(
        `SELECT pg_advisory_xact_lock(${space}, number) FROM (
          SELECT DISTINCT hashtext(session_key) AS number FROM deliveries
          WHERE id = ANY (ARRAY (SELECT value FROM json_each(?))) ORDER BY number
        ) AS numbers`,
        JSON.stringify(deliveryIds),
      );
    },

    /**
     * Skips rows and sessions that another transaction has locked. Rows are locked first: if the session is locked after that,
     * no transaction that has ended meanwhile has changed which of its deliveries is the next.
     */
    *deliveriesToClaim(condition: string, ...values: readonly Value[]): Query<readonly Row[]> {
      const free = yield* all(
        `WITH found AS MATERIALIZED (
          SELECT seq, session_key FROM deliveries WHERE ${condition} FOR UPDATE SKIP LOCKED
        )
        SELECT seq FROM found WHERE pg_try_advisory_xact_lock(${space}, hashtext(session_key))`,
        ...values,
      );
      if (free.length === 0) return [];
      const seqs = free.map((row) => read.integer(row, 'seq'));
      // Only a new statement sees the rows as they are locked.
      const rows = yield* all(
        `${SELECT_DELIVERIES} WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
        JSON.stringify(seqs),
      );
      const places = new Map(seqs.map((seq, place) => [seq, place]));
      const placeOf = (row: Row): number => places.get(read.integer(row, 'seq')) ?? 0;
      return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
    },
  };
}

function asking<Result>(
  ask: DatabaseRequest,
  pick: (reply: DatabaseReply) => Result,
): Query<Result> {
  return {
    *[Symbol.iterator]() {
      return pick(yield ask);
    },
  };
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
): Database {
  const connection = serverStatements(space, isHub);
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
