import { checkAddress, checkRawPath } from './address.ts';
import { type Analytics, createAnalytics } from './analytics/resource.ts';
import { createBreaker } from './breaker.ts';
import { type CallerParts, createCaller } from './caller.ts';
import type { ClientOptions } from './client-options.ts';
import { type Computers, createComputers } from './computers/resource.ts';
import { createCredentials, type CredentialKind } from './credentials.ts';
import { createDriftLog, type DriftCount } from './drift.ts';
import { createExchange } from './exchange.ts';
import { createRequestQueue, type RequestQueue } from './lanes.ts';
import { createOrganization, type Organization } from './organization/resource.ts';
import { createRawRequest, type RawRequest } from './raw-request.ts';
import { createReadiness, type Readiness } from './readiness/resource.ts';
import { createSessions, type Sessions } from './sessions/resource.ts';
import { sleepWithTimer } from './wait.ts';

const MEGABYTE = 1_048_576;

/** The whole HTTP interface of the service. */
export interface Client {
  readonly analytics: Analytics;
  readonly readiness: Readiness;
  readonly sessions: Sessions;
  readonly computers: Computers;
  readonly organization: Organization;
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
  const baseUrl = addressOf('base_url', options.baseUrl);
  const appUrl = addressOf('app_url', options.appUrl);
  const credentials = createCredentials({ key: options.apiKey, jwt: options.jwt });
  const drift = createDriftLog(options.onDrift ?? (() => {}));
  const laneSettings = { concurrency: 4, requestsPerSecond: 10, burst: 20, ...options.lanes };
  const lanes: Record<CredentialKind, RequestQueue> = {
    key: createRequestQueue(laneSettings, now, sleep),
    jwt: createRequestQueue(laneSettings, now, sleep),
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
      lanesOf: (kind) => lanes[kind],
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
  return {
    analytics: createAnalytics(caller, { now, windowDays }),
    readiness: createReadiness(caller),
    sessions: createSessions(caller, {
      sleep,
      graceMs: options.graceMs ?? 2_000,
      maxMessageBytes: options.maxMessageBytes ?? 10 * MEGABYTE,
    }),
    computers: createComputers(caller),
    organization: createOrganization(caller, { now }),
    request: createRawRequest(parts),
    drift: drift.counts,
  };
}

function addressOf(name: string, address: string | undefined): string | undefined {
  return address === undefined ? undefined : checkAddress(name, address);
}
