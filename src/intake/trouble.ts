import { backoffMs } from '../platform/retry.ts';
import type { Log } from '../platform/log.ts';
import { StoreError } from '../core/store-aging.ts';

/** Why the intake is blocked: the store's error, or a spool that cannot be read (in part). */
export interface IntakeTrouble {
  readonly code: StoreError['code'] | 'spool';
  readonly message: string;
}

export interface TroubleOptions {
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly log: Log;
  /** Called once when a problem begins or changes, and with null when it is over. */
  readonly onTrouble: (trouble: IntakeTrouble | null) => void;
}

/** Keeps the intake from retrying in a tight loop, and from reporting the same problem twice. */
export function watchTrouble(options: TroubleOptions) {
  const { monotonic, random, log, onTrouble } = options;
  let trouble: IntakeTrouble | null = null;
  let failures = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  function wait(): void {
    failures += 1;
    pausedUntil = monotonic() + backoffMs(failures, random(), { baseMs: 500, capMs: 10_000 });
  }

  return {
    /** True until it is time to try again. */
    isPaused: (): boolean => monotonic() < pausedUntil,
    /**
     * An attempt failed. The delay grows after each failure of the store, but not of the spool, because other files may
     * be readable.
     */
    failed(error: unknown) {
      if (error instanceof StoreError) wait();
      const code = error instanceof StoreError ? error.code : 'spool';
      if (trouble?.code === code) return;
      trouble = { code, message: error instanceof Error ? error.message : String(error) };
      log.error({ err: error, code }, 'Cannot ingest events: their envelopes stay in the spool');
      onTrouble(trouble);
    },
    worked() {
      failures = 0;
      if (trouble === null) return;
      trouble = null;
      log.info({}, 'Ingesting events again');
      onTrouble(null);
    },
    retryNow() {
      pausedUntil = Number.NEGATIVE_INFINITY;
    },
  };
}
