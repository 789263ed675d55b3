import type { PollInterval } from '../../config/poller-schema.ts';
import type { UsageCounters } from '../../core/metrics.ts';
import type { ReadWaiting } from '../../core/waiting.ts';
import type {
  LastHook,
  RaiseEvent,
  RaiseSessionEvent,
  PollerMemory,
} from '../../core/source-event.ts';
import type { Log } from '../../platform/log.ts';
import type { Redactor } from '../../text/redact.ts';
import { AuthError, CircuitOpenError, type Client, ForbiddenError } from '../client/index.ts';
import { InsecureAddressError, MissingAddressError } from '../client/index.ts';
import { RateLimitError, ServerError } from '../client/index.ts';

/** Retry interval for a refused or missing key, which may have been replaced at its source. */
const REFUSED_MS = 6 * 3_600_000;
/** Pause after a 429 without a retry time. */
const RATE_LIMITED_MS = 900_000;

/** How a poller handles an error of the client; `retryAfterMs`: minimum wait, null: up to the caller. */
function serviceTrouble(error: unknown): {
  readonly reason: string;
  readonly retryAfterMs: number | null;
  readonly isLasting: boolean;
} {
  const reason = error instanceof Error ? error.message : 'Unknown error';
  if (error instanceof RateLimitError) {
    return { reason, retryAfterMs: error.retryAfterMs ?? RATE_LIMITED_MS, isLasting: false };
  }
  if (error instanceof ServerError || error instanceof CircuitOpenError) {
    return { reason, retryAfterMs: error.retryAfterMs, isLasting: false };
  }
  const isRefused =
    error instanceof AuthError ||
    error instanceof ForbiddenError ||
    error instanceof MissingAddressError ||
    error instanceof InsecureAddressError;
  return { reason, retryAfterMs: isRefused ? REFUSED_MS : null, isLasting: isRefused };
}

export type BackoffGateOptions = Pick<
  PollerParts,
  'name' | 'now' | 'random' | 'log' | 'onTrouble' | 'signal'
>;

/** Number of consecutive failures, and their duration, before they are reported: shorter ones end before anyone could act. */
const PATIENCE = 3;
const PATIENCE_MS = 600_000;

/**
 * Decides when a poller may send requests, with backoff after failures.
 *
 * @param retry the wait after the first failure, doubled with each one, and the maximum wait
 */
export function createBackoffGate(
  { name, now, random, log, onTrouble, signal }: BackoffGateOptions,
  retry: { readonly firstMs: number; readonly mostMs: number },
) {
  let isRunning = false;
  let waitFrom = 0;
  let waitUntil = 0;
  let failures = 0;
  let failingSince = 0;

  /** Adds jitter, so that many machines do not poll together. */
  function wait(ms: number): void {
    waitFrom = now();
    waitUntil = waitFrom + ms * (1 + 0.1 * random());
  }

  // A clock set back must not extend a wait.
  const isOver = (): boolean => now() >= waitUntil || now() < waitFrom;
  const mayTake = (): boolean => !isRunning && isOver();

  function fail(error: unknown): void {
    const { reason, retryAfterMs, isLasting } = serviceTrouble(error);
    if (failures === 0) failingSince = now();
    failures += 1;
    const patienceMs = Math.min(retry.mostMs, retry.firstMs * 2 ** (failures - 1));
    wait(Math.max(retryAfterMs ?? 0, patienceMs));
    log.warn({ source: name, err: error }, 'A poller failed and will retry');
    const lasts = failures >= PATIENCE && now() - failingSince >= PATIENCE_MS;
    if (isLasting || lasts) onTrouble(reason);
  }

  return {
    mayTake,
    nextAt: () => (isOver() ? now() : waitUntil),
    /** Does some work, if none is running and the last wait is over. @param work returns how long to wait after it, ms */
    async take(work: () => Promise<number>): Promise<void> {
      if (!mayTake()) return;
      isRunning = true;
      try {
        wait(await work());
        failures = 0;
        onTrouble(null);
      } catch (error) {
        // Aborts at the end of the daemon are not failures.
        if (!signal.aborted) fail(error);
      } finally {
        isRunning = false;
      }
    },
  };
}

/**
 * Polls the service once, with background priority. Throws service errors as the client does.
 *
 * - `moving`: something changed, or will soon: the next poll comes after the shortest interval
 * - `still`: nothing changed: the interval grows
 */
export type PollOnce = () => Promise<'moving' | 'still'>;

export interface PollerOptions extends BackoffGateOptions {
  readonly pollInterval: PollInterval;
  readonly look: PollOnce;
}

/** Maximum wait after failures, or the slowest interval if longer. */
const LONGEST_RETRY_MS = 900_000;

/** Polls the service: often during activity, seldom without it and after failures. */
export function createPoller({ pollInterval, look, ...options }: PollerOptions): PollerJob {
  const { everyMs, atMostMs } = pollInterval;
  const gate = createBackoffGate(options, {
    firstMs: everyMs,
    mostMs: Math.max(atMostMs, LONGEST_RETRY_MS),
  });
  let intervalMs = everyMs;
  return {
    nextAt: () => gate.nextAt(),
    run: () =>
      gate.take(async () => {
        intervalMs = nextInterval(pollInterval, intervalMs, await look());
        return intervalMs;
      }),
  };
}

/** Interval until the next poll, ms. @param beforeMs the previous interval */
export function nextInterval(
  { everyMs, atMostMs }: PollInterval,
  beforeMs: number,
  seen: 'moving' | 'still',
): number {
  return seen === 'moving' ? everyMs : Math.min(atMostMs, beforeMs * 1.5);
}

export interface PollerJob {
  /** Does the due work. Never rejects; not called again before it has settled. */
  run(): Promise<void>;
  /** When to call it next, Unix ms; earlier calls are harmless. */
  nextAt(): number;
  /** Sends its next message immediately; returns the title. Rejects as the client does. */
  sendNow?(): Promise<string>;
}

export interface PollerParts {
  readonly name: string;
  /** The client of the daemon, whose queue and breaker all share; pollers use the background priority. */
  readonly api: Client;
  readonly raise: RaiseEvent;
  readonly raiseSessionEvent: RaiseSessionEvent;
  /** When a hook last reported a session; null: never. */
  readonly lastHook: (sessionId: string) => Promise<LastHook | null>;
  /** The storage under a name, which begins with the name of the poller. */
  readonly memory: (name: string) => PollerMemory;
  /** Figures of hookbell itself between two times, Unix ms. */
  readonly usage: (range: { readonly from: number; readonly to: number }) => Promise<UsageCounters>;
  readonly waiting: ReadWaiting;
  /** Redacts secrets in untrusted text, as configured. */
  readonly redactor: Redactor;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Called with the current failure, and with null after recovery. */
  readonly onTrouble: (reason: string | null) => void;
  /** Aborts running requests. */
  readonly signal: AbortSignal;
}

/** Creates the job of a poller from its configuration. Sends no request before the job runs. */
export type CreatePoller<Policy> = (policy: Policy, parts: PollerParts) => PollerJob;
