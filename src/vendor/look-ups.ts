import { performance } from 'node:perf_hooks';

import type { Config } from '../config/config.ts';
import type { ApiCheckView, ApiPartView, ApiStateView } from '../control/contract-views.ts';
import type { ServiceAnswer, SessionService } from '../core/looked-up.ts';
import { createLookUp, type LookUp } from '../delivery/look-up.ts';
import type { Log } from '../platform/log.ts';
import { type Clock, isoTime, systemTimer } from '../platform/time.ts';
import type { ApiClient } from './api-client.ts';
import type { CallOptions } from './client/index.ts';

/** `doctor` waits 15 s in total. */
const ONCE: CallOptions = { timeoutMs: 10_000, maxRetries: 0 };
/** The last day may not be available yet, depending on the service's midnight. */
const DAYS_AGO = 2;

/** Analytics needs another role than sessions. Null: not needed. */
async function checkAnalytics(
  { budget, digest }: Config,
  api: ApiClient,
  now: Clock,
): Promise<ApiPartView | null> {
  if (budget === null && digest === null) return null;
  return timed(async () => {
    const { analytics } = await api.get();
    const { addDays, dayOf } = await import('./client/index.ts');
    const day = addDays(dayOf(now()), -DAYS_AGO);
    await analytics.tokens({ startDate: day, endDate: day }, ONCE);
  });
}

/** A configured address is always checked: commands use it, and a wrong one shows nowhere else. */
async function checkReadiness(config: Config, api: ApiClient): Promise<ApiPartView | null> {
  const isWatched = config.watch.readiness !== null;
  const isConfigured = config.api?.appUrl != null && config.api.key !== null;
  if (!isWatched && !isConfigured) return null;
  return timed(async () => {
    const { readiness } = await api.get();
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

export interface LookUpsOptions {
  readonly config: Config;
  readonly api: ApiClient;
  readonly now: Clock;
  readonly log: Log;
}

/** The look-up of sessions with the current configuration. Without an address and a key it sends no requests. */
export interface LookUps {
  current(): LookUp | null;
  /** Keeps cached data if the service configuration is unchanged. */
  reconfigure(config: Config): Promise<void>;
  readSecretsAgain(): Promise<void>;
  state(): ApiStateView;
  /** Makes one request to each part of the service that the configuration needs, even while look-ups are paused. */
  check(): Promise<ApiCheckView>;
  stop(): Promise<void>;
}

export function createLookUps({ config: first, api: client, now, log }: LookUpsOptions): LookUps {
  let config = first;
  let configured = config.api;
  let current = start();

  /** If the client cannot be created, such as for an unusable proxy, the look-up fails. */
  async function ask<Found>(
    question: (service: SessionService) => Promise<ServiceAnswer<Found>>,
  ): Promise<ServiceAnswer<Found>> {
    let service: SessionService;
    try {
      // Most daemons send no requests, and the client takes a while to load.
      const [api, { createSessionService }] = await Promise.all([
        client.get(),
        import('./session-service.ts'),
      ]);
      service = createSessionService(api);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'The client cannot be created';
      return { type: 'failed', reason, retryAfterMs: null };
    }
    return question(service);
  }

  function start(): LookUp | null {
    if (configured === null || whyOff(configured) !== null) return null;
    return createLookUp({
      service: {
        session: (sessionId, signal) => ask((service) => service.session(sessionId, signal)),
        computer: (computerId, signal) => ask((service) => service.computer(computerId, signal)),
        reach: (signal) => ask((service) => service.reach(signal)),
      },
      now,
      startTimer: systemTimer,
      log,
    });
  }

  async function checkSessions(): Promise<Omit<ApiCheckView, 'analytics' | 'readiness'>> {
    if (current === null) {
      const reason = whyOff(configured) ?? 'it could not be started';
      return { state: 'off', durationMs: null, reason };
    }
    const startedAt = performance.now();
    const answer = await current.check();
    const durationMs = Math.round(performance.now() - startedAt);
    return 'reason' in answer
      ? { state: 'failed', durationMs, reason: answer.reason }
      : { state: 'ok', durationMs, reason: null };
  }

  async function startAgain(): Promise<void> {
    const former = current;
    current = start();
    await former?.stop();
  }

  return {
    current: () => current,
    async reconfigure(next) {
      config = next;
      const { api } = next;
      if (JSON.stringify(api) === JSON.stringify(configured)) return;
      configured = api;
      await startAgain();
    },
    readSecretsAgain() {
      client.readSecretsAgain();
      return startAgain();
    },
    state() {
      if (current === null) return { state: 'off', until: null, reason: null };
      const { state, until, reason } = current.state();
      return { state, until: until === null ? null : isoTime(until), reason };
    },
    async check() {
      const [sessions, analytics, readiness] = await Promise.all([
        checkSessions(),
        checkAnalytics(config, client, now),
        checkReadiness(config, client),
      ]);
      return { ...sessions, analytics, readiness };
    },
    stop: async () => current?.stop(),
  };
}

/** Null if complete. */
function whyOff(api: Config['api']): string | null {
  if (api === null) return '"api" is not configured';
  if (api.baseUrl === null) return '"api.base_url" is not configured';
  return api.key === null && api.jwt === null ? 'no key is configured' : null;
}
