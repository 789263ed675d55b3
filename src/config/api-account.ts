import type { SecretReference } from '../core/channel.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import { ownVersion } from '../core/program-files.ts';
import type { Config } from './config.ts';

/** Addresses and credentials of the HTTP API, from which its client is created. */
export interface ApiAccount {
  readonly userAgent: string;
  readonly baseUrl?: string;
  readonly appUrl?: string;
  /** Called when the key is first needed, and once more after the service refused it. */
  readonly apiKey?: () => Promise<string>;
  readonly jwt?: () => Promise<string>;
  readonly readinessPath?: string;
  readonly maxMessageBytes?: number;
  /** Allows plain http to another machine. */
  readonly allowHttp?: true;
}

/**
 * The configured account. Secrets are read only at the first request; unset settings are absent.
 *
 * @param readSecret from `secretReader`; throws ConfigError
 */
export function apiAccount(
  { api }: Pick<Config, 'api'>,
  readSecret: (reference: SecretReference) => Promise<string>,
): ApiAccount {
  const userAgent = `hookbell/${ownVersion()}`;
  if (api === null) return { userAgent };
  const { baseUrl, appUrl, key, jwt, readinessPath, maxMessageBytes, allowHttp } = api;
  return {
    userAgent,
    ...(allowHttp && { allowHttp }),
    ...(baseUrl !== null && { baseUrl }),
    ...(appUrl !== null && { appUrl }),
    ...(key !== null && { apiKey: () => readSecret(key) }),
    ...(jwt !== null && { jwt: () => readSecret(jwt) }),
    ...(readinessPath !== null && { readinessPath }),
    ...(maxMessageBytes !== null && { maxMessageBytes }),
  };
}

/** Reports an unusable proxy before any request is made. @throws ConfigError */
export function checkProxies(
  { baseUrl, appUrl }: Pick<ApiAccount, 'baseUrl' | 'appUrl'>,
  outbound: Pick<Outbound, 'isProxied'>,
): void {
  for (const address of [baseUrl, appUrl]) {
    if (address !== undefined) outbound.isProxied(new URL(address));
  }
}
