import { z } from 'zod';

import type { SecretReference } from '../core/channel.ts';
import type { HoldStopPolicy } from '../core/policy.ts';
import { ownVersion } from '../platform/program-files.ts';
import { secretReference } from '../core/secret-reference.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import { duration, orNull, size } from './units.ts';

/** A base address to which the client appends paths. Without credentials, because they would end up in logs. */
const address = z
  .url({
    protocol: /^https?$/,
    error: 'is not a URL that begins with http:// or https://',
  })
  .refine(isBare, {
    error: 'contains a user name, a query or a fragment, expected only an address',
  });

/** The address below which requests add "/api/v0". */
export const baseAddress = address.refine((text) => !/\/api\/v\d+\/*$/.test(text), {
  error: 'ends in "/api/v0", which every request adds: remove it',
});

const DEFAULT_HOLD_MS = 20_000;

/** The section about the HTTP interface. */
export const apiSchema = z
  .strictObject({
    base_url: orNull(baseAddress).describe(
      'Base address for analytics, sessions, computers and the organization',
    ),
    app_url: orNull(address).describe(
      'Base address for readiness reports and the page that creates API keys',
    ),
    key: orNull(secretReference).describe('The API key'),
    jwt: orNull(secretReference).describe(
      'Access token, used instead of the key for everything below /api/v0',
    ),
    readiness_path: orNull(
      z
        .string()
        .regex(/^\/(?!\/)[^\s?#\\%]*$/, {
          error: 'is not a path: start it with one "/" and use no space, "?", "#", "%" or "\\"',
        })
        .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), {
          error: 'contains a dot segment',
        }),
    ).describe('Path of the readiness reports, if it differs from the documented one'),
    allow_http: z
      .boolean()
      .default(false)
      .describe('Send the key without TLS to http:// addresses of other machines'),
    max_message_size: orNull(size({ min: '1kB' })).describe(
      'Refuse to send replies whose text, images and files together exceed this size',
    ),
    hold_stop_while_running: z
      .union([z.boolean(), duration({ min: '1s', max: '10m' })])
      .default(false)
      .describe(
        'Hold the end of a turn for at most this long while the service reports the session as running; true: 20s',
      ),
    hold_stop_then: z
      .enum(['tell', 'drop'])
      .default('tell')
      .describe(
        'Action if the session is still running after that: "tell" sends a notification that it is still working, "drop" sends nothing',
      ),
  })
  .transform((options) => {
    const { base_url: baseUrl, app_url: appUrl, key, jwt, hold_stop_while_running: hold } = options;
    const canQuery = baseUrl !== null && (key !== null || jwt !== null);
    const holdStop: HoldStopPolicy | null =
      hold === false || !canQuery
        ? null
        : { forMs: hold === true ? DEFAULT_HOLD_MS : hold, afterwards: options.hold_stop_then };
    return {
      baseUrl,
      appUrl,
      key,
      /** Used for `/api/v0` instead of the key. */
      jwt,
      readinessPath: options.readiness_path,
      maxMessageBytes: options.max_message_size,
      /** Allows plain http to another machine. */
      allowHttp: options.allow_http,
      /** Null if off, or if the service cannot be queried. */
      holdStop,
    };
  });

function isBare(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === '');
}

/** Addresses and credentials of the HTTP API, from which its client is created. */
interface ApiAccount {
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
  { api }: { readonly api: z.output<typeof apiSchema> | null },
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
  for (const base of [baseUrl, appUrl]) {
    if (base !== undefined) outbound.isProxied(new URL(base));
  }
}
