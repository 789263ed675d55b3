import type { SqliteConnection } from './connection.ts';

/** Runs inside the transaction and returns the reply for when it is on disk. */
interface Job {
  readonly attempt: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Puts all writes of one event-loop turn into one transaction, in order: a commit waits for the disk, whatever its
 * size. A write that throws does not roll back the others: then all of them run again, each in a savepoint.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  #jobs: Job[] = [];

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /**
   * Resolves once `work` is on disk.
   *
   * @param work may run twice, so its only effects are those on the database
   */
  write<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#jobs.length === 0) setImmediate(() => this.flush());
      this.#jobs.push({
        attempt() {
          const result = work();
          return () => resolve(result);
        },
        reject,
      });
    });
  }

  /** Commits the collected writes now. */
  flush(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    if (jobs.length === 0) return;
    for (const answer of this.#commit(jobs)) answer();
  }

  /**
   * Without savepoints, unless a write throws: SQLite keeps a copy of each page that a savepoint changes, and searches
   * all of them after each statement, which takes a third of the time of a large commit.
   */
  #commit(jobs: readonly Job[]): readonly (() => void)[] {
    try {
      return this.#transaction(() => jobs.map((job) => job.attempt()));
    } catch (error) {
      const isOfOneWrite = this.#connection.troubleOf(error) === null && jobs.length > 1;
      return isOfOneWrite ? this.#commitApart(jobs) : jobs.map((job) => () => job.reject(error));
    }
  }

  #commitApart(jobs: readonly Job[]): readonly (() => void)[] {
    try {
      return this.#transaction(() => jobs.map((job) => this.#attempt(job)));
    } catch (error) {
      return jobs.map((job) => () => job.reject(error));
    }
  }

  #transaction<Result>(work: () => Result): Result {
    return this.#connection.guarded(() => this.#connection.transaction(work));
  }

  #attempt(job: Job): () => void {
    try {
      return this.#connection.savepoint(job.attempt);
    } catch (error) {
      if (this.#connection.troubleOf(error) !== null) throw error;
      return () => job.reject(error);
    }
  }
}
