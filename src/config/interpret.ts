import { z } from 'zod';

import { PERSONAL_DIGEST } from '../core/vendor-policy.ts';
import type { ChannelDefinition } from '../core/channel.ts';
import { testChannelsOf } from '../core/hand-made.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { type ConfiguredChannel, readChannel } from './channel-schema.ts';
import { checkApi } from './check-api.ts';
import { checkEach, checkNames } from './check-names.ts';
import { checkReach, checkUse, checkValues } from './check-values.ts';
import {
  type Config,
  defaultChannels,
  defaultHistory,
  defaultRouteNames,
  defaultRoutes,
} from './config.ts';
import { parseOptions } from './describe-issue.ts';
import { settleTimes } from './alert-schema.ts';
import { routeSchema } from './plan-schema.ts';
import {
  holdStopOf,
  listenConfigOf,
  makePolicy,
  type NamedRoute,
  relayConfigOf,
  relayPolicyOf,
} from './policy.ts';
import { type DocumentPath, type Finding, findingsOf, pathText } from './problem.ts';
import { type ConfigOptions, configSchema } from './schema.ts';
import { maskSecrets, plainSecretPaths } from './secrets.ts';

export type Interpretation =
  | {
      readonly ok: true;
      readonly config: Omit<Config, 'path' | 'exists' | 'authorities'>;
      readonly warnings: readonly Finding[];
    }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Converts plain data to a configuration, or returns all of its problems. */
export function interpret(
  document: unknown,
  definitions: readonly ChannelDefinition[],
): Interpretation {
  const parsed = configSchema.safeParse(document, parseOptions);
  if (!isJsonObject(document)) {
    return { ok: false, findings: findingsOf(parsed.error?.issues ?? []) };
  }

  // The inbox is not configurable: it has no options and is always on.
  const selectable = definitions.filter(({ type }) => type !== 'inbox');
  const readings = readChannels(document, selectable);
  const findings = [
    ...findingsOf(parsed.error?.issues ?? []),
    ...readings.findings,
    ...checkNames(
      document,
      selectable.map(({ type }) => type),
    ),
    ...checkEach(document),
    ...checkReach(document),
  ];
  if (!parsed.success || findings.length > 0) return { ok: false, findings };
  const channels = [...readings.channels, inboxOf(definitions)];
  return {
    ok: true,
    config: configOf(parsed.data, document, channels),
    warnings: [
      ...checkUse(parsed.data),
      ...checkApi(parsed.data),
      ...checkValues(document, channels, plainSecretsOf(parsed.data, document, channels)),
    ],
  };
}

function readChannels(
  { channels = defaultChannels }: JsonObject,
  definitions: readonly ChannelDefinition[],
): { channels: ConfiguredChannel[]; findings: Finding[] } {
  const read: ConfiguredChannel[] = [];
  const findings: Finding[] = [];
  for (const [name, entry] of Object.entries(isJsonObject(channels) ? channels : {})) {
    // The schema already reports a document that is not a mapping.
    if (!isJsonObject(entry)) continue;
    const reading = readChannel(name, entry, definitions);
    if (reading.ok) read.push(reading.channel);
    else findings.push(...reading.findings);
  }
  return { channels: read, findings };
}

function inboxOf(definitions: readonly ChannelDefinition[]): ConfiguredChannel {
  const reading = readChannel('inbox', { type: 'inbox' }, definitions);
  if (!reading.ok) throw new Error('The channel definitions lack the inbox');
  return reading.channel;
}

function configOf(
  options: ConfigOptions,
  document: JsonObject,
  channels: readonly ConfiguredChannel[],
): Omit<Config, 'path' | 'exists' | 'authorities'> {
  const names = Object.keys(options.channels);
  const programChannels = channels
    .filter(({ definition }) => definition.audience === 'program')
    .map(({ name }) => name);
  const secrets = plainSecretsOf(options, document, channels);
  const history = isJsonObject(document['history']) ? document['history'] : {};
  const whole = {
    channels: defaultChannels,
    plans: {},
    routes: defaultRoutes(names),
    ...document,
    history: { ...defaultHistory, ...history },
  };
  return {
    channels,
    policy: makePolicy(options.plans, namedRoutes(options, names), {
      programChannels,
      testChannels: testChannelsOf(
        channels.map(({ name, definition: { type } }) => ({ name, type })),
      ),
      quietHours: options.quiet_hours ?? [],
      noise: options.noise,
      expireAfterMs: options.alerts.expire_after,
      whenWatching: options.presence.when_watching,
      holdStop: holdStopOf(options.api),
      settleMs: settleTimes(options.alerts.settle, channels),
      relay: relayPolicyOf(options),
    }),
    templates: options.templates,
    history: { keepMs: options.history.keep, maxBytes: options.history.max_size },
    redact: {
      notifications: options.redact.notifications === 'on',
      history: options.redact.history === 'on',
      prefixes: options.redact.prefixes,
      keys: options.redact.keys,
    },
    heartbeat:
      options.heartbeat === undefined
        ? null
        : { url: options.heartbeat.url, everyMs: options.heartbeat.every },
    caFile: options.ca_file ?? null,
    metrics: options.metrics ?? null,
    relay: relayConfigOf(options),
    listen: listenConfigOf(options),
    api:
      options.api === undefined
        ? null
        : {
            baseUrl: options.api.base_url ?? null,
            appUrl: options.api.app_url ?? null,
            key: options.api.key ?? null,
            jwt: options.api.jwt ?? null,
            readinessPath: options.api.readiness_path ?? null,
            maxMessageBytes: options.api.max_message_size ?? null,
            allowHttp: options.api.allow_http,
          },
    replyPage: options.reply_page ?? null,
    budget: options.budget ?? null,
    digest: options.digest ?? null,
    watch: {
      sessions: options.watch?.sessions ?? null,
      computers: options.watch?.computers ?? null,
      readiness: options.watch?.readiness ?? null,
      controls: options.watch?.controls ?? null,
    },
    raw: maskSecrets(whole, secrets),
    plainSecrets: secrets.map(pathText),
  };
}

/** Paths of plain-text secrets. */
function plainSecretsOf(
  options: ConfigOptions,
  document: JsonObject,
  channels: readonly ConfiguredChannel[],
): readonly DocumentPath[] {
  return [
    ...channels.flatMap(({ name, definition }) =>
      plainSecretPaths(definition.options, options.channels[name], ['channels', name]),
    ),
    ...plainSecretPaths(configSchema.shape.api, document['api'], ['api']),
    ...plainSecretPaths(configSchema.shape.heartbeat, document['heartbeat'], ['heartbeat']),
    ...plainSecretPaths(configSchema.shape.relay, document['relay'], ['relay']),
  ];
}

function namedRoutes(options: ConfigOptions, channels: readonly string[]): NamedRoute[] {
  const { digest } = options;
  const own = ordinaryRoutes(options, channels);
  if (digest === undefined) return own;
  const { each, notify } = digest;
  // A personal digest is only for its recipient, so it has a separate route.
  const personal =
    each.length > 0 ? [routeTo('digest.each', { event: PERSONAL_DIGEST }, each)] : [];
  return [...personal, routeTo('digest', { kind: 'digest' }, notify), ...own];
}

function routeTo(name: string, match: object, notify: readonly string[]): NamedRoute {
  return { name, option: routeSchema.parse({ match, notify }, parseOptions) };
}

function ordinaryRoutes({ routes }: ConfigOptions, channels: readonly string[]): NamedRoute[] {
  if (routes !== undefined) {
    return routes.map((option, index) => ({ name: `routes[${index}]`, option }));
  }
  const builtIn = z.array(routeSchema).parse(defaultRoutes(channels), parseOptions);
  return builtIn.map((option, index) => ({ name: defaultRouteNames[index] ?? 'default', option }));
}
