import { performance } from 'node:perf_hooks';

import type { Middleware } from '../api/index.ts';
import { apiAccount } from '../config/api-account.ts';
import type { Config } from '../config/config.ts';
import type { SecretReference } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { ApiCheckView, ApiStateView } from '../core/control.ts';
import type { Log } from '../core/log.ts';
import type { SessionService } from '../core/looked-up.ts';
import type { LookUp } from '../delivery/look-up.ts';
import { createLookUp } from '../delivery/look-up.ts';
import { systemTimer } from '../delivery/timer.ts';
import { isoTime } from './views.ts';

export interface LookUpsOptions {
  readonly config: Config;
  readonly readSecret: (reference: SecretReference) => Promise<string>;
  /** Sees every request. */
  readonly middleware: readonly Middleware[];
  readonly now: Clock;
  readonly log: Log;
}

/** The look-up of sessions by the configuration in force. Without an address and a key nobody is asked anything. */
export interface LookUps {
  current(): LookUp | null;
  /** A configuration that says the same of the service keeps what is known. */
  reconfigure(config: Config): Promise<void>;
  state(): ApiStateView;
  /** Makes one request, even while look-ups are paused. */
  check(): Promise<ApiCheckView>;
  stop(): Promise<void>;
}

export function createLookUps({
  config,
  readSecret,
  middleware,
  now,
  log,
}: LookUpsOptions): LookUps {
  let configured = config.api;
  let current = start();

  function start(): LookUp | null {
    const account = apiAccount({ api: configured }, readSecret);
    const hasCredential = account.apiKey !== undefined || account.jwt !== undefined;
    if (account.baseUrl === undefined || !hasCredential) return null;
    const load = (): Promise<SessionService> => {
      // Most daemons never ask, and the client takes a while to load.
      service ??= import('./session-service.ts').then(({ createSessionService }) =>
        createSessionService({ ...account, middleware }, now),
      );
      return service;
    };
    let service: Promise<SessionService> | null = null;
    return createLookUp({
      service: {
        session: async (sessionId, signal) => (await load()).session(sessionId, signal),
        computer: async (computerId, signal) => (await load()).computer(computerId, signal),
        reach: async (signal) => (await load()).reach(signal),
      },
      now,
      startTimer: systemTimer,
      log,
    });
  }

  return {
    current: () => current,
    async reconfigure({ api }) {
      if (JSON.stringify(api) === JSON.stringify(configured)) return;
      const former = current;
      configured = api;
      current = start();
      await former?.stop();
    },
    state() {
      if (current === null) return { state: 'off', until: null, reason: null };
      const { state, until, reason } = current.state();
      return { state, until: until === null ? null : isoTime(until), reason };
    },
    async check() {
      if (current === null) {
        return { state: 'off', durationMs: null, reason: whyOff(configured) };
      }
      const startedAt = performance.now();
      const answer = await current.check();
      const durationMs = Math.round(performance.now() - startedAt);
      return 'reason' in answer
        ? { state: 'failed', durationMs, reason: answer.reason }
        : { state: 'ok', durationMs, reason: null };
    },
    stop: async () => current?.stop(),
  };
}

function whyOff(api: Config['api']): string {
  if (api === null) return '"api" is not configured';
  return api.baseUrl === null ? '"api.base_url" is not configured' : 'no key is configured';
}
