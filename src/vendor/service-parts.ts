import { performance } from 'node:perf_hooks';

import type { CallOptions, Client } from './client/index.ts';
import type { Config } from '../config/config.ts';
import type { ApiPartView } from '../control/contract-views.ts';

/** `doctor` waits 15 s in total. */
const ONCE: CallOptions = { timeoutMs: 10_000, maxRetries: 0 };
/** The last day may not be available yet, depending on the service's midnight. */
const DAYS_AGO = 2;

export interface ServicePartsOptions {
  readonly config: Pick<Config, 'api' | 'budget' | 'digest' | 'watch'>;
  /** Rejects if the client cannot be created, such as for an unusable proxy. */
  readonly client: () => Promise<Pick<Client, 'analytics' | 'readiness'>>;
  /** Unix ms. */
  readonly now: () => number;
}

/**
 * Sends one request to each part of the service that the configuration needs besides sessions: analytics needs another role
 * than sessions, and readiness reports are at another address. Null: the configuration does not need that part. Never
 * rejects.
 */
export async function checkServiceParts(
  options: ServicePartsOptions,
): Promise<Record<'analytics' | 'readiness', ApiPartView | null>> {
  const [analytics, readiness] = await Promise.all([
    checkAnalytics(options),
    checkReadiness(options),
  ]);
  return { analytics, readiness };
}

async function checkAnalytics(options: ServicePartsOptions): Promise<ApiPartView | null> {
  const { config, client, now } = options;
  if (config.budget === null && config.digest === null) return null;
  return timed(async () => {
    const { analytics } = await client();
    const { addDays, dayOf } = await import('./client/index.ts');
    const day = addDays(dayOf(now()), -DAYS_AGO);
    await analytics.tokens({ startDate: day, endDate: day }, ONCE);
  });
}

/** A configured address is always checked: commands use it, and a wrong one shows nowhere else. */
async function checkReadiness(options: ServicePartsOptions): Promise<ApiPartView | null> {
  const { config, client } = options;
  const isWatched = config.watch.readiness !== null;
  const isConfigured = config.api?.appUrl != null && config.api.key !== null;
  if (!isWatched && !isConfigured) return null;
  return timed(async () => {
    const { readiness } = await client();
    const { ForbiddenError } = await import('./client/index.ts');
    try {
      await readiness.list({ limit: 1 }, ONCE).all({ max: 1 });
    } catch (error) {
      // The address is right, and the daemon needs no more than that.
      if (!isWatched && error instanceof ForbiddenError) return;
      throw error;
    }
  });
}

async function timed(ask: () => Promise<void>): Promise<ApiPartView> {
  const startedAt = performance.now();
  const trouble = await ask().then(() => null, troubleOf);
  const durationMs = Math.round(performance.now() - startedAt);
  return trouble === null
    ? { state: 'ok', durationMs, reason: null, hint: null }
    : { state: 'failed', durationMs, ...trouble };
}

function troubleOf(error: unknown): Pick<ApiPartView, 'hint'> & { readonly reason: string } {
  if (!(error instanceof Error)) return { reason: 'Unknown error', hint: null };
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : null;
  return { reason: error.message, hint };
}
