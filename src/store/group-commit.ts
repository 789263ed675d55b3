import type { Connection } from './connection.ts';

/** Runs inside the transaction and returns the reply for when it is on disk. */
interface Job {
  readonly attempt: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Puts all writes of one event-loop turn into one transaction, in order: a commit waits for the disk, whatever its
 * size. Each write has a savepoint, so that one that throws does not roll back the others.
 */
export class GroupCommit {
  readonly #connection: Connection;
  #jobs: Job[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Resolves once `work` is on disk. */
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

  #commit(jobs: readonly Job[]): readonly (() => void)[] {
    const connection = this.#connection;
    try {
      return connection.guarded(() =>
        connection.transaction(() => jobs.map((job) => this.#attempt(job))),
      );
    } catch (error) {
      return jobs.map((job) => () => job.reject(error));
    }
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
