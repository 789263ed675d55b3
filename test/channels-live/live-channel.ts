import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';

import { channelCatalog } from '../../src/channels/registry.ts';
import { loadConfig } from '../../src/config/load.ts';
import { parseOptions } from '../../src/config/problem.ts';
import { secretReader } from '../../src/config/secrets.ts';
import type {
  Channel,
  ChannelDefinition,
  ChannelDependencies,
  SendContext,
} from '../../src/core/channel.ts';
import type { Notification } from '../../src/core/notification.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { parseJson } from '../../src/platform/json.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { sampleNotification } from '../support/sample.ts';

const channelDefinitions = await channelCatalog.load();

/** Time for one call of a channel, ms. */
export const DEADLINE_MS = 30_000;

const { env } = process;
const paths = resolvePaths(env, process.platform, homedir());

export interface LiveChannel extends AsyncDisposable {
  readonly channel: Channel;
}

/**
 * Opens a channel of this type with a person's own account: with the options of HOOKBELL_CHANNEL, or of the configuration.
 *
 * @throws Error with what is wrong
 */
export async function openLiveChannel(
  type: string | undefined,
  parts: Partial<ChannelDependencies> = {},
): Promise<LiveChannel> {
  const definition = channelDefinitions.find((one) => one.type === type);
  if (definition === undefined) {
    const types = channelDefinitions.map((one) => one.type).join(', ');
    throw new Error(`Usage: npm run channels:live -- TYPE, one of ${types}`);
  }
  const outbound = createOutbound({ env });
  const dependencies = channelDependencies({
    name: 'live',
    env,
    outbound,
    now: Date.now,
    resolveSecret: secretReader(paths.config, env),
    ...parts,
  });
  const channel = await definition.create(await optionsOf(definition), dependencies);
  return {
    channel,
    async [Symbol.asyncDispose]() {
      await channel.close();
      await outbound.close();
    },
  };
}

/** @throws Error with what is wrong */
async function optionsOf(definition: ChannelDefinition): Promise<unknown> {
  const given = env['HOOKBELL_CHANNEL'];
  if (given !== undefined) {
    const { data, error } = definition.options.safeParse(parseJson(given), parseOptions);
    if (error === undefined) return data;
    const [issue] = error.issues;
    throw new Error(`HOOKBELL_CHANNEL: "${issue?.path.join('.')}" ${issue?.message}`);
  }
  const loaded = await loadConfig(paths.config, { catalog: channelCatalog });
  if (!loaded.ok) throw new Error(`"${paths.config}" has problems: run hookbell config check`);
  const found = loaded.config.channels.find(({ type }) => type === definition.type);
  if (found !== undefined) return found.options;
  throw new Error(
    `No channel of type "${definition.type}" in "${paths.config}" or HOOKBELL_CHANNEL`,
  );
}

/** A message that a person recognizes, with its own ids. */
export function message(fields: Partial<Notification>): Notification {
  const id = randomUUID();
  const at = Date.now();
  return sampleNotification({
    deliveryId: id,
    eventId: id,
    alertId: id,
    groupKey: id,
    at,
    ...fields,
  });
}

export function context(): SendContext {
  return sendContext({ signal: AbortSignal.timeout(DEADLINE_MS) });
}
