/*
 * All that uses the vendor's key: the client, look-ups, pollers and reports. Without it everything else works. A payload
 * of an agent never decides where the key goes; events of hooks, and decisions about them, never enter.
 */
import type { Client, Middleware } from './client/index.ts';
import { apiAccount, checkProxies } from '../config/api-schema.ts';
import type { Config } from '../config/config.ts';
import type { SecretReference } from '../core/channel.ts';
import type { Log } from '../platform/log.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';

export interface ApiClientOptions {
  readonly config: () => Pick<Config, 'api'>;
  readonly readSecret: (reference: SecretReference) => Promise<string>;
  readonly middleware: readonly Middleware[];
  readonly outbound: Outbound;
  readonly now: () => number;
  readonly log: Log;
}

/** The single client of the daemon, with one rate limit, pause after a 429, and breaker for all that use it. */
export interface ApiClient {
  /**
   * The client of the current configuration, for one use. Rejects with a TypeError when an address cannot be used, with a
   * ConfigError when the proxy for it cannot.
   */
  get(): Promise<Client>;
  /** Replaces the client by one without cached credentials. */
  readSecretsAgain(): void;
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  const { config, readSecret, middleware, outbound, now, log } = options;
  let made: { readonly by: string; readonly client: Promise<Client> } | null = null;

  async function create(api: Config['api']): Promise<Client> {
    // Most daemons send no requests, and the client takes a while to load.
    const { createClient } = await import('./client/index.ts');
    const account = apiAccount({ api }, readSecret);
    checkProxies(account, outbound);
    return createClient({
      ...account,
      middleware,
      now,
      onDrift: ({ route, kind, jsonPath }) =>
        log.warn({ route, kind, jsonPath }, 'An answer of the service differs from the interface'),
      onRateLimit: ({ route, retryAfterMs }) =>
        log.warn({ route, retryAfterMs }, 'The service asked for a pause'),
      fetch: (url, init) => outbound.fetch(url, init),
    });
  }

  return {
    get() {
      const { api } = config();
      const by = JSON.stringify(api);
      if (made?.by !== by) made = { by, client: create(api) };
      return made.client;
    },
    readSecretsAgain() {
      made = null;
    },
  };
}
