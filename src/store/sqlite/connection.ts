import { StoreError } from '../../core/store-aging.ts';
import { SELECT_DELIVERIES } from '../deliveries.ts';
import { type Driver, mayBeOfSchema, type Statement, storeErrorOf } from './driver.ts';
import { AnsweredQuery, type Connection } from '../query.ts';
import { closeDatabase, fileIdentity } from './open-database.ts';
import { CHECKPOINT_PAGES } from './pragmas.ts';
import { bindable, type Row, type Value } from '../row.ts';

export interface SqliteConnectionOptions {
  /** Opens the database at the path, or makes a new one; throws a driver's error or a StoreError. */
  readonly reopen: () => Driver;
  /** The fault in the tables of an open database, or null. */
  readonly schemaFault: (driver: Driver) => string | null;
  /** Called if the database is damaged: moves it aside. */
  readonly onDamage: (error: StoreError) => void;
}

/**
 * The one connection to a database file, with its prepared statements.
 *
 * - `open`: usable.
 * - `lost`: after an I/O error or damage; the next use closes the file and reopens the path. After a failed fsync the
 *   kernel calls the pages clean that it has lost, so that a second fsync would succeed without writing them:
 *   https://lwn.net/Articles/752063/
 * - `closed`: for good.
 */
export class SqliteConnection {
  readonly #path: string;
  readonly #options: SqliteConnectionOptions;
  readonly #statements = new Map<string, Statement>();
  /** Null from a successful closing to a successful opening. */
  #driver: Driver | null;
  #state: 'open' | 'lost' | 'closed' = 'open';
  #identity: string | null;
  #isLogHeld = false;

  constructor(path: string, driver: Driver, options: SqliteConnectionOptions) {
    this.#path = path;
    this.#driver = driver;
    this.#options = options;
    this.#identity = fileIdentity(path);
  }

  all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#statement(sql)
      .all(...values.map(bindable))
      .map(rowOf);
  }

  get(sql: string, ...values: readonly Value[]): Row | null {
    const row = this.#statement(sql).get(...values.map(bindable));
    return row === undefined ? null : rowOf(row);
  }

  run(sql: string, ...values: readonly Value[]): number {
    return Number(this.#statement(sql).run(...values.map(bindable)).changes);
  }

  /** The part of the database or the disk in an error; null: it is the caller's. */
  troubleOf(error: unknown): StoreError | null {
    const trouble = storeErrorOf(error, this.#path);
    if (trouble !== null || !mayBeOfSchema(error)) return trouble;
    const fault = this.#schemaFault();
    return fault === null ? null : new StoreError('damaged', fault, { cause: error });
  }

  /** Runs `work`; errors of the database or the disk are thrown as a StoreError. */
  guarded<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      const trouble = this.troubleOf(error);
      if (trouble?.code === 'io' || trouble?.code === 'damaged') this.#lose(trouble);
      throw trouble ?? error;
    }
  }

  /** All of `work` is on disk when this returns, or nothing of it is in the database when this throws. */
  transaction<Result>(work: () => Result): Result {
    this.run('BEGIN IMMEDIATE');
    try {
      this.#checkPlace();
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      try {
        this.run('ROLLBACK');
      } catch {
        // The original error has rolled back already; report that one.
      }
      throw error;
    }
  }

  /** Inside a transaction: rolls back only `work` if it throws. */
  savepoint<Result>(work: () => Result): Result {
    this.run('SAVEPOINT part');
    try {
      const result = work();
      this.run('RELEASE part');
      return result;
    } catch (error) {
      // A full or failing disk may have ended the whole transaction, and the savepoint with it.
      if (this.troubleOf(error) === null) {
        this.run('ROLLBACK TO part');
        this.run('RELEASE part');
      }
      throw error;
    }
  }

  /** Keeps commits in the write-ahead log, so that the main file does not change. */
  holdLog(): void {
    this.get('PRAGMA wal_autocheckpoint = 0');
    this.#isLogHeld = true;
  }

  /** Moves the log into the file now, and again whenever it has grown. */
  releaseLog(): void {
    this.#isLogHeld = false;
    this.get(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    this.cutLog();
  }

  /** Moves the log into the file now, which is then truncated to the size it needs. */
  cutLog(): void {
    if (!this.#isLogHeld) this.all('PRAGMA wal_checkpoint(PASSIVE)');
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    try {
      this.#letGo();
    } catch {
      // Commits are in the log, which the next start reads.
      this.#driver = null;
    }
  }

  #statement(sql: string): Statement {
    if (this.#state === 'lost') this.#openAnew();
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    if (this.#driver === null) throw new Error('Cannot use the store: it is closed');
    const statement = this.#driver.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #schemaFault(): string | null {
    try {
      return this.#driver === null ? null : this.#options.schemaFault(this.#driver);
    } catch {
      return null;
    }
  }

  #lose(trouble: StoreError): void {
    if (this.#state === 'closed') return;
    this.#state = 'lost';
    if (trouble.code === 'damaged') this.#options.onDamage(trouble);
  }

  #openAnew(): void {
    this.#letGo();
    this.#driver = this.#options.reopen();
    this.#identity = fileIdentity(this.#path);
    this.#state = 'open';
  }

  #letGo(): void {
    this.#statements.clear();
    if (this.#driver !== null) closeDatabase(this.#driver, { isInPlace: this.#isInPlace() });
    this.#driver = null;
  }

  /** Writes to a deleted file succeed, and are lost with the process. */
  #checkPlace(): void {
    if (this.#isInPlace()) return;
    throw new StoreError(
      'io',
      `Cannot use the database "${this.#path}": its file was moved or deleted`,
    );
  }

  #isInPlace(): boolean {
    return fileIdentity(this.#path) === this.#identity;
  }
}

const UNLOCKED = new AnsweredQuery(0);
const UNNUMBERED = new AnsweredQuery(null);
const NOT_REVOKED = new AnsweredQuery<ReadonlySet<string>>(new Set());

/** The statements of queries, each answered synchronously. Only one process has the file open. */
export function sqliteStatements(sqlite: SqliteConnection): Connection {
  const all: Connection['all'] = (sql, ...values) => new AnsweredQuery(sqlite.all(sql, ...values));
  const claimed = 'claimed_until IS NOT NULL';
  return {
    claims: { own: claimed, left: claimed, leftQuestions: '1 = 1' },
    all,
    get: (sql, ...values) => new AnsweredQuery(sqlite.get(sql, ...values)),
    run: (sql, ...values) => new AnsweredQuery(sqlite.run(sql, ...values)),
    lockSessions: () => UNLOCKED,
    lockSessionsOf: () => UNLOCKED,
    revoked: () => NOT_REVOKED,
    eventNumbers: () => UNNUMBERED,
    visibleEvents: () => UNNUMBERED,
    deliveriesToClaim: (condition, ...values) =>
      all(`${SELECT_DELIVERIES} WHERE ${condition}`, ...values),
  };
}

function rowOf(value: unknown): Row {
  if (isRow(value)) return value;
  throw new TypeError('Cannot read a row: expected an object');
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null;
}
