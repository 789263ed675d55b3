import { statSync } from 'node:fs';

import type { Log } from '../../platform/log.ts';
import { StoreError } from '../../core/store-aging.ts';
import type { SqliteConnection } from './connection.ts';

/** Checks the pages of a database file that does not change meanwhile; resolves with "ok" or the fault. */
export type CheckPages = (path: string, signal: AbortSignal) => Promise<string>;

/** The write-ahead log takes all commits meanwhile: if it grows beyond this, the check is postponed. */
const LARGEST_LOG_BYTES = 64 * 1024 * 1024;
const LOOK_EVERY_MS = 500;
const AGAIN_AFTER_MS = 10 * 60_000;

/**
 * Checks a large database after a crash while it is already in use, so that a start does not wait for it. Until it
 * ends, the write-ahead log is not moved into the file. The connection itself checks a fault again, and then reports
 * damage like any other: the database is set aside.
 */
export function checkInBackground(
  connection: SqliteConnection,
  { path, checkPages, log }: { path: string; checkPages: CheckPages; log: Log },
): { stop(): void } {
  const stopping = new AbortController();
  let again: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    const tooLarge = new AbortController();
    const watch = setInterval(() => {
      if (logBytes(path) > LARGEST_LOG_BYTES) tooLarge.abort();
    }, LOOK_EVERY_MS);
    watch.unref();
    const startedAt = performance.now();
    try {
      connection.guarded(() => connection.holdLog());
      const signal = AbortSignal.any([stopping.signal, tooLarge.signal]);
      const answer = await checkPages(path, signal);
      if (stopping.signal.aborted) return;
      const ms = Math.round(performance.now() - startedAt);
      if (answer === 'ok') log.info({ path, ms }, 'Checked the database: it is intact');
      else confirm(answer);
    } catch (error) {
      if (stopping.signal.aborted) return;
      log.warn({ err: error, path }, 'Cannot check the database now: retrying later');
      again = setTimeout(() => void run(), AGAIN_AFTER_MS);
      again.unref();
    } finally {
      clearInterval(watch);
      if (!stopping.signal.aborted) release();
    }
  }

  function release(): void {
    try {
      connection.guarded(() => connection.releaseLog());
    } catch (error) {
      log.warn({ err: error, path }, 'Cannot move the write-ahead log into the database');
    }
  }

  /** The file may have changed during the check, as when the database was reopened. */
  function confirm(found: string): void {
    log.warn({ path, found }, 'The database seems to be damaged: checking it again');
    try {
      connection.guarded(() => {
        const answer = String(Object.values(connection.get('PRAGMA quick_check(1)') ?? {})[0]);
        if (answer !== 'ok') throw new StoreError('damaged', `Cannot use the database: ${answer}`);
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  void run();
  return {
    stop() {
      stopping.abort();
      clearTimeout(again);
    },
  };
}

function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
