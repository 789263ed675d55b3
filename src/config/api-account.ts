import type { SecretReference } from '../core/channel.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import { ownVersion } from '../core/program-files.ts';
import type { Config } from './config.ts';

/** Addresses and credentials of the HTTP interface: what a client of it is created with. */
export interface ApiAccount {
  readonly userAgent: string;
  readonly baseUrl?: string;
  readonly appUrl?: string;
  /** Asked when it is first needed, and once more after the service refused what it gave. */
  readonly apiKey?: () => Promise<string>;
  readonly jwt?: () => Promise<string>;
  readonly readinessPath?: string;
  readonly maxMessageBytes?: number;
  /** Plain http to another machine is meant. */
  readonly allowHttp?: true;
}

/**
 * The account a configuration describes. Nothing is read before the first request; what was not configured is absent.
 *
 * @param readSecret as `secretReader` makes it; throws ConfigError
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

/** Says of a proxy that cannot be used before a request is made. @throws ConfigError */
export function checkProxies(
  { baseUrl, appUrl }: Pick<ApiAccount, 'baseUrl' | 'appUrl'>,
  outbound: Pick<Outbound, 'isProxied'>,
): void {
  for (const address of [baseUrl, appUrl]) {
    if (address !== undefined) outbound.isProxied(new URL(address));
  }
}
