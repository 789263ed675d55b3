import type { ChannelDefinition } from '../core/channel.ts';
import { testChannelsOf } from '../core/hand-made.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { settleDelays } from './alert-schema.ts';
import { type ChannelConfig, type KnownChannels, readChannel } from './channel-schema.ts';
import { checkEach, checkNames, checkReach } from './check-names.ts';
import { checkHub } from './hub-schema.ts';
import { checkServiceNeeds, checkUse, checkValues } from './check-use.ts';
import {
  type Config,
  type ConfigOptions,
  configSchema,
  defaultChannels,
  defaultHistory,
} from './config.ts';
import { defaultRoutes, routingOf } from './plan-schema.ts';
import { type DocumentPath, type Finding, findingsOf, parseOptions, pathText } from './problem.ts';
import { maskSecrets, plainSecretPaths } from './secret-places.ts';

export type Interpretation =
  | {
      readonly ok: true;
      readonly config: Omit<Config, 'path' | 'exists' | 'authorities'>;
      readonly warnings: readonly Finding[];
    }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** The channel types that a document uses, whether or not they exist, and the inbox, which is always on. */
export function channelTypesIn(document: unknown): readonly string[] {
  const types = Object.values(channelsIn(document)).map((entry) =>
    isJsonObject(entry) ? entry['type'] : undefined,
  );
  return [...new Set([...types.filter((type) => typeof type === 'string'), 'inbox'])];
}

function channelsIn(document: unknown): JsonObject {
  const { channels = defaultChannels } = isJsonObject(document) ? document : {};
  return isJsonObject(channels) ? channels : {};
}

/** Converts plain data to a configuration, or returns all of its problems. */
export function interpret(
  document: unknown,
  { definitions, types }: KnownChannels,
): Interpretation {
  const parsed = configSchema.safeParse(document, parseOptions);
  if (!isJsonObject(document)) {
    return { ok: false, findings: findingsOf(parsed.error?.issues ?? []) };
  }

  // The inbox is not configurable: it has no options and is always on.
  const known = {
    definitions: definitions.filter(({ type }) => type !== 'inbox'),
    types: types.filter((type) => type !== 'inbox'),
  };
  const readings = readChannels(document, known);
  const findings = [
    ...findingsOf(parsed.error?.issues ?? []),
    ...readings.findings,
    ...checkNames(document, known.types),
    ...checkEach(document),
    ...checkReach(document),
    ...checkHub(document),
  ];
  if (!parsed.success || findings.length > 0) return { ok: false, findings };
  const channels = [...readings.channels, inboxOf(definitions)];
  return {
    ok: true,
    config: configOf(parsed.data, document, channels),
    warnings: [
      ...checkUse(parsed.data),
      ...checkServiceNeeds(parsed.data),
      ...checkValues(document, channels, plainSecretsOf(parsed.data, document, channels)),
    ],
  };
}

function readChannels(document: JsonObject, known: KnownChannels) {
  const channels: ChannelConfig[] = [];
  const findings: Finding[] = [];
  for (const [name, entry] of Object.entries(channelsIn(document))) {
    // The schema already reports a document that is not a mapping.
    if (!isJsonObject(entry)) continue;
    const reading = readChannel(name, entry, known);
    if (reading.ok) channels.push(reading.channel);
    else findings.push(...reading.findings);
  }
  return { channels, findings };
}

function inboxOf(definitions: readonly ChannelDefinition[]): ChannelConfig {
  const reading = readChannel('inbox', { type: 'inbox' }, { definitions, types: [] });
  if (!reading.ok) throw new Error('The channel definitions lack the inbox');
  return reading.channel;
}

function configOf(
  options: ConfigOptions,
  document: JsonObject,
  channels: readonly ChannelConfig[],
): Omit<Config, 'path' | 'exists' | 'authorities'> {
  const { channels: entries, plans, routes, quiet_hours: quietHours, noise, ...rest } = options;
  const { alerts, presence, ca_file: caFile, reply_page: replyPage, ...others } = rest;
  const { working_hours: workingHours, ...sections } = others;
  const { api, digest, relay } = sections;
  const names = Object.keys(entries);
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
    ...sections,
    caFile,
    replyPage,
    workingHours,
    channels,
    policy: {
      ...routingOf({ plans, routes, digest }, names),
      programChannels: channels
        .filter(({ definition }) => definition.audience === 'program')
        .map(({ name }) => name),
      personalChannels: channels
        .filter(({ definition, options: its }) => definition.isPersonal?.(its) === true)
        .map(({ name }) => name),
      testChannels: testChannelsOf(channels),
      quietHours,
      noise,
      expireAfterMs: alerts.expireAfterMs,
      whenWatching: presence.whenWatching,
      tellsRounds: alerts.rounds === 'each',
      holdStop: api?.holdStop ?? null,
      settleDelayMs: settleDelays(alerts.settle, channels),
      relay: relay === null ? null : { to: relay.to, notifiesHere: relay.notifiesHere },
    },
    raw: maskSecrets(whole, secrets),
    plainSecrets: secrets.map(pathText),
  };
}

/** Paths of plain-text secrets. */
function plainSecretsOf(
  options: ConfigOptions,
  document: JsonObject,
  channels: readonly ChannelConfig[],
): readonly DocumentPath[] {
  return [
    ...channels.flatMap(({ name, definition }) =>
      plainSecretPaths(definition.options, options.channels[name], ['channels', name]),
    ),
    ...(['api', 'heartbeat', 'relay'] as const).flatMap((section) =>
      plainSecretPaths(configSchema.shape[section], document[section], [section]),
    ),
  ];
}
