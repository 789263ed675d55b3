import { SELECT_DELIVERIES } from '../deliveries.ts';
import type { Ask, Claims, Connection, Query, Reply } from '../query.ts';
import { readInteger, type Row, type Value } from '../row.ts';

/** The statements of queries on a server: each is yielded, for the driver to send. */
export class ServerStatements implements Connection {
  readonly claims: Claims = {
    own: "claimed_until IS NOT NULL AND claimed_by = current_setting('application_name')",
    // A process without a connection is gone.
    left: `claimed_until IS NOT NULL AND (claimed_by = current_setting('application_name') OR NOT EXISTS (
      SELECT 1 FROM pg_stat_activity WHERE application_name = claimed_by
    ))`,
  };
  readonly #space: number;

  /** @param space the first key of the advisory locks, which other stores in the same database do not use */
  constructor(space: number) {
    this.#space = space;
  }

  all(sql: string, ...values: readonly Value[]): Query<readonly Row[]> {
    return asking({ sql, values }, ({ rows }) => rows);
  }

  get(sql: string, ...values: readonly Value[]): Query<Row | null> {
    return asking({ sql, values }, ({ rows }) => rows[0] ?? null);
  }

  run(sql: string, ...values: readonly Value[]): Query<number> {
    return asking({ sql, values }, ({ changes }) => changes);
  }

  /** In the order of their numbers, so that two transactions never wait for each other. */
  lockSessions(keys: readonly string[]): Query<number> {
    return this.run(
      `SELECT pg_advisory_xact_lock(${this.#space}, number) FROM (
        SELECT DISTINCT hashtext(value) AS number FROM json_each(?) ORDER BY number
      ) AS numbers`,
      JSON.stringify(keys.map((key) => key.replaceAll('\0', ''))),
    );
  }

  lockSessionOf(deliveryId: string): Query<number> {
    return this.run(
      `SELECT pg_advisory_xact_lock(${this.#space}, hashtext(session_key)) FROM deliveries WHERE id = ?`,
      deliveryId,
    );
  }

  /**
   * Never waits: it skips rows and sessions that another transaction has locked. Rows are locked first. If the session is
   * locked after that, no transaction that has ended meanwhile has changed which of its deliveries is the next.
   */
  *deliveriesToClaim(condition: string, ...values: readonly Value[]): Query<readonly Row[]> {
    const free = yield* this.all(
      `WITH found AS MATERIALIZED (
        SELECT seq, session_key FROM deliveries WHERE ${condition} FOR UPDATE SKIP LOCKED
      )
      SELECT seq FROM found WHERE pg_try_advisory_xact_lock(${this.#space}, hashtext(session_key))`,
      ...values,
    );
    if (free.length === 0) return [];
    const seqs = free.map((row) => readInteger(row, 'seq'));
    // Only a new statement sees the rows as they are locked.
    const rows = yield* this.all(
      `${SELECT_DELIVERIES} WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
      JSON.stringify(seqs),
    );
    const places = new Map(seqs.map((seq, place) => [seq, place]));
    const placeOf = (row: Row): number => places.get(readInteger(row, 'seq')) ?? 0;
    return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function asking<Result>(ask: Ask, read: (reply: Reply) => Result): Query<Result> {
  return {
    *[Symbol.iterator]() {
      return read(yield ask);
    },
  };
}
