import { isLocalHost } from '../platform/loopback-address.ts';
import type { DocumentPath, Finding } from './problem.ts';
import type { ConfigOptions } from './schema.ts';

/** Part of the vendor's API: each has its own address, and `v0` accepts an access token instead of the key. */
type Family = 'analytics' | 'readiness' | 'v0';

interface Need {
  readonly path: DocumentPath;
  readonly family: Family;
}

/** Finds settings that need the vendor's service although its address or key is missing. */
export function checkApi(options: ConfigOptions): Finding[] {
  return [...unmet(options), ...plainHttp(options)];
}

/** A warning, because the client refuses such an address and the rest of the configuration works without it. */
function plainHttp({ api }: ConfigOptions): Finding[] {
  if (api === undefined || api.allow_http) return [];
  return (['base_url', 'app_url'] as const).flatMap((name): readonly Finding[] => {
    const address = api[name];
    if (address === undefined || !isPlainHttp(address)) return [];
    const message =
      'would send the key to another machine without TLS, and is not used: use https, or set "allow_http: true"';
    return [{ path: ['api', name], at: 'value', message }];
  });
}

function isPlainHttp(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLocalHost(hostname.replace(/^\[|\]$/g, ''));
}

function unmet(options: ConfigOptions): Finding[] {
  return needsOf(options).flatMap(({ path, family }): readonly Finding[] => {
    const missing = missingFor(family, options.api ?? {});
    if (missing.length === 0) return [];
    const fix =
      options.api === undefined
        ? `add "api: { ${missing.join(', ')} }"`
        : `add "${missing.join(', ')}" to api`;
    return [{ path, at: 'key', message: `has no effect without the vendor's service: ${fix}` }];
  });
}

function needsOf({ budget, digest, watch, reply_page, channels }: ConfigOptions): readonly Need[] {
  const { sessions, computers, readiness, controls } = watch ?? {};
  const parts: readonly (readonly [unknown, DocumentPath, Family])[] = [
    [budget, ['budget'], 'analytics'],
    [digest, ['digest'], 'analytics'],
    [reply_page, ['reply_page'], 'v0'],
    [sessions, ['watch', 'sessions'], 'v0'],
    [computers, ['watch', 'computers'], 'v0'],
    [readiness, ['watch', 'readiness'], 'readiness'],
    [controls, ['watch', 'controls'], 'v0'],
  ];
  const writing = Object.entries(channels).filter(([, entry]) => entry['to_concerned'] === true);
  return [
    ...parts.flatMap(([part, path, family]) => (part === undefined ? [] : [{ path, family }])),
    ...writing.map(([name]): Need => ({
      path: ['channels', name, 'to_concerned'],
      family: 'v0',
    })),
  ];
}

function missingFor(
  family: Family,
  api: NonNullable<ConfigOptions['api']> | Record<string, never>,
): readonly string[] {
  const address = family === 'readiness' ? 'app_url' : 'base_url';
  const hasCredential = api.key !== undefined || (family === 'v0' && api.jwt !== undefined);
  return [
    ...(api[address] === undefined ? [`${address}: ADDRESS`] : []),
    ...(hasCredential ? [] : ['key: { env: NAME }']),
  ];
}
