import { checkAddress, checkRawPath } from './address.ts';
import { type CallerParts, createCaller } from './request-caller.ts';
import type { CallOptions, ClientOptions } from './client-options.ts';
import { createCredentials, type CredentialKind } from './credentials.ts';
import { createDriftLog, type DriftCount } from './parse-response.ts';
import { createExchange } from './http-exchange.ts';
import { createBreaker, createRequestQueue, type RequestQueue } from './request-queue.ts';
import { type AllMethods, createMethods, type Methods } from './methods.ts';
import { createDirectory, type Directory } from './organization.ts';
import { createRawRequest, type RawRequest } from './raw-request.ts';
import { type ApiSession, type SessionTag, writableTags } from './sessions.ts';
import {
  type LimitEntry,
  setLimits,
  type SetLimitsOptions,
  type SetLimitsReport,
} from './set-limits.ts';
import { sleepWithTimer } from './wait.ts';

const MEGABYTE = 1_048_576;

/** The whole HTTP interface of the service. */
export interface Client {
  readonly analytics: Methods<'analytics'>;
  readonly readiness: Methods<'readiness'>;
  readonly sessions: Methods<'sessions'> & {
    /** Gets the tags, changes them and sends them all back, so a concurrent change by someone else is lost. */
    readonly changeTags: (
      sessionId: string,
      change: (tags: readonly SessionTag[]) => readonly SessionTag[],
      options?: CallOptions,
    ) => Promise<ApiSession>;
  };
  readonly computers: Methods<'computers'>;
  readonly organization: Omit<Methods<'org'>, 'setLimits'> & {
    readonly setLimits: (
      entries: readonly LimitEntry[],
      options?: SetLimitsOptions,
    ) => Promise<SetLimitsReport>;
    /** All users, cached for an hour. */
    readonly directory: Directory;
  };
  readonly call: AllMethods['call'];
  readonly request: RawRequest;
  /** Differences between the responses so far and the interface. */
  readonly drift: () => DriftCount[];
}

/**
 * Creates a client. It sends, reads and starts nothing before the first call.
 *
 * @throws TypeError when an address cannot be used
 * @example
 * const api = createClient({ baseUrl, apiKey: () => readKey() });
 * for await (const session of api.sessions.list()) console.log(session.title);
 */
export function createClient(options: ClientOptions): Client {
  const {
    now = Date.now,
    random = Math.random,
    sleep = sleepWithTimer,
    fetch: send = (url, init) => fetch(url, init),
    windowDays = 31,
    readinessPath,
  } = options;
  if (readinessPath !== undefined) checkRawPath(readinessPath);
  const baseUrl = checkAddress('base_url', options.baseUrl);
  const appUrl = checkAddress('app_url', options.appUrl);
  const credentials = createCredentials({ key: options.apiKey, jwt: options.jwt });
  const drift = createDriftLog(options.onDrift ?? (() => {}));
  const polite = { concurrency: 4, requestsPerSecond: 10, burst: 20 };
  const queueSettings = { ...polite, ...options.requestQueue };
  const queues: Record<CredentialKind, RequestQueue> = {
    key: createRequestQueue(queueSettings, now, sleep),
    jwt: createRequestQueue(queueSettings, now, sleep),
  };

  const parts: CallerParts = {
    baseUrl,
    appUrl,
    allowHttp: options.allowHttp ?? false,
    readinessPath,
    strict: options.strict ?? false,
    credentials,
    drift,
    exchange: createExchange({
      send,
      middleware: options.middleware ?? [],
      credentials,
      queueOf: (kind) => queues[kind],
      breaker: createBreaker(now),
      appUrl,
      userAgent: options.userAgent ?? 'hookbell',
      maxAnswerBytes: options.maxAnswerBytes ?? 64 * MEGABYTE,
      onRateLimit: options.onRateLimit ?? (() => {}),
      now,
      random,
      sleep,
    }),
  };
  const caller = createCaller(parts);
  const methods = createMethods(caller, {
    now,
    sleep,
    windowDays,
    graceMs: options.graceMs ?? 2_000,
    maxMessageBytes: options.maxMessageBytes ?? 10 * MEGABYTE,
  });
  const sessions = methods.of('sessions');
  const organization = methods.of('org');
  return {
    analytics: methods.of('analytics'),
    readiness: methods.of('readiness'),
    sessions: {
      ...sessions,
      changeTags: async (sessionId, change, call) => {
        const { sessionSettings } = await sessions.get({ sessionId }, call);
        const tags = writableTags(change(sessionSettings?.tags ?? []));
        return sessions.update({ sessionId, sessionSettings: { tags } }, call);
      },
    },
    computers: methods.of('computers'),
    organization: {
      ...organization,
      setLimits: (entries, call = {}) => setLimits(caller, entries, call),
      directory: createDirectory(() => organization.users({ limit: 100 }), now),
    },
    call: methods.call,
    request: createRawRequest(parts),
    drift: drift.counts,
  };
}
