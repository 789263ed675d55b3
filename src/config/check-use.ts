import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { isLocalHost } from '../platform/loopback-address.ts';
import type { ChannelConfig } from './channel-schema.ts';
import type { DocumentPath, Finding } from './problem.ts';
import type { ConfigOptions } from './config.ts';

/** A variable that only a shell expands; a scheme such as "Bearer" may precede it. */
const unexpanded = /^(?:[A-Za-z]+ )?\$\{?([A-Za-z_]\w*)\}?$/;

/** Finds well-formed values that cannot work. They are warnings: the other channels work. */
export function checkValues(
  document: JsonObject,
  channels: readonly ChannelConfig[],
  secrets: readonly DocumentPath[],
): readonly Finding[] {
  return [
    ...channels.flatMap(({ name, definition, options }) =>
      (definition.doubts?.(options) ?? []).map(({ key, message }): Finding => ({
        path: ['channels', name, key],
        at: 'value',
        message,
      })),
    ),
    ...secrets.flatMap((path): Finding[] => {
      const [, variable] = unexpanded.exec(textAt(document, path)) ?? [];
      if (variable === undefined) return [];
      const message = `contains a shell variable, which is not expanded: write { env: ${variable} } and put the whole value into that variable`;
      return [{ path, at: 'value', message }];
    }),
  ];
}

function textAt(document: JsonObject, path: DocumentPath): string {
  let value: unknown = document;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Finds channels and plans that no route uses: valid, but probably a mistake. */
export function checkUse(options: ConfigOptions): Finding[] {
  const plans = new Set(options.routes?.map(({ plan }) => plan));
  const channels = channelsInUse(options);
  return [
    ...Object.keys(options.channels)
      .filter((name) => !channels.has(name))
      .map((name) => unused('channels', name, 'receives no notifications: no route uses it')),
    ...Object.keys(options.plans)
      .filter((name) => !plans.has(name))
      .map((name) => unused('plans', name, 'is unused: no route names it')),
  ];
}

function channelsInUse(options: ConfigOptions): ReadonlySet<string> {
  const { channels, plans, routes, quiet_hours: quietHours, digest } = options;
  // The built-in routes notify all channels.
  if (routes === null) return new Set(Object.keys(channels));
  return new Set([
    ...(digest?.notify ?? []),
    ...(digest?.each ?? []),
    ...quietHours.flatMap(({ meanwhile }) =>
      meanwhile.type === 'channels' ? meanwhile.channels : [],
    ),
    ...routes
      .flatMap(({ plan }) => (typeof plan === 'string' ? (plans[plan] ?? []) : plan))
      .flatMap(({ notify }) => notify),
  ]);
}

function unused(section: string, name: string, message: string): Finding {
  return { path: [section, name], at: 'key', message };
}

/** Part of the vendor's API: each has its own address, and `v0` accepts an access token instead of the key. */
type Family = 'analytics' | 'readiness' | 'v0';

/** Finds settings that need the vendor's service although its address or key is missing. */
export function checkServiceNeeds(options: ConfigOptions): Finding[] {
  return [...unmet(options), ...plainHttp(options)];
}

/** A warning, because the client refuses such an address and the rest of the configuration works without it. */
function plainHttp({ api }: ConfigOptions): Finding[] {
  if (api === null || api.allowHttp) return [];
  const message =
    'would send the key to another machine without TLS, so it is not used: use https, or set "allow_http: true"';
  return Object.entries({ base_url: api.baseUrl, app_url: api.appUrl })
    .filter(([, address]) => address !== null && isPlainHttp(address))
    .map(([name]) => ({ path: ['api', name], at: 'value', message }));
}

function isPlainHttp(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLocalHost(hostname.replace(/^\[|\]$/g, ''));
}

function unmet(options: ConfigOptions): Finding[] {
  return needsOf(options).flatMap(([path, family]): readonly Finding[] => {
    const missing = missingFor(family, options.api).join(', ');
    if (missing === '') return [];
    const fix = options.api === null ? `add "api: { ${missing} }"` : `add "${missing}" to api`;
    return [{ path, at: 'key', message: `has no effect without the vendor's service: ${fix}` }];
  });
}

type Need = readonly [path: DocumentPath, family: Family];

function needsOf({ budget, digest, watch, reply_page, channels }: ConfigOptions): readonly Need[] {
  const { sessions, computers, readiness, controls } = watch;
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
    ...parts.flatMap(([part, ...need]): Need[] => (part === null ? [] : [need])),
    ...writing.map(([name]): Need => [['channels', name, 'to_concerned'], 'v0']),
  ];
}

function missingFor(family: Family, api: ConfigOptions['api']): readonly string[] {
  const [name, address] =
    family === 'readiness' ? ['app_url', api?.appUrl] : ['base_url', api?.baseUrl];
  const credentials = family === 'v0' ? [api?.key, api?.jwt] : [api?.key];
  const hasCredential = credentials.some((credential) => (credential ?? null) !== null);
  return [
    ...((address ?? null) === null ? [`${name}: ADDRESS`] : []),
    ...(hasCredential ? [] : ['key: { env: NAME }']),
  ];
}
