import type { ChannelDefinition } from '../core/channel.ts';
import { testChannelsOf } from '../core/hand-made.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { settleTimes } from './alert-schema.ts';
import { type ChannelConfig, readChannel } from './channel-schema.ts';
import { checkEach, checkNames, checkReach } from './check-names.ts';
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
      ...checkServiceNeeds(parsed.data),
      ...checkValues(document, channels, plainSecretsOf(parsed.data, document, channels)),
    ],
  };
}

function readChannels(
  { channels = defaultChannels }: JsonObject,
  definitions: readonly ChannelDefinition[],
): { channels: ChannelConfig[]; findings: Finding[] } {
  const read: ChannelConfig[] = [];
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

function inboxOf(definitions: readonly ChannelDefinition[]): ChannelConfig {
  const reading = readChannel('inbox', { type: 'inbox' }, definitions);
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
      testChannels: testChannelsOf(channels),
      quietHours,
      noise,
      expireAfterMs: alerts.expireAfterMs,
      whenWatching: presence.whenWatching,
      holdStop: api?.holdStop ?? null,
      settleMs: settleTimes(alerts.settle, channels),
      relay: relay === null ? null : { to: relay.to, ringHere: relay.ringHere },
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
    ...plainSecretPaths(configSchema.shape.api, document['api'], ['api']),
    ...plainSecretPaths(configSchema.shape.heartbeat, document['heartbeat'], ['heartbeat']),
    ...plainSecretPaths(configSchema.shape.relay, document['relay'], ['relay']),
  ];
}
