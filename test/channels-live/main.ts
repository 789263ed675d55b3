/**
 * Sends messages through a channel to a service that a person has an account of, and says what to look for:
 * `npm run channels:live -- TYPE`. The options come from HOOKBELL_CHANNEL as JSON, such as
 * `{"webhook":{"file":"/home/me/hook"}}`, or else from the first channel of that type in the configuration.
 */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import { channelDefinitions } from '../../src/channels/registry.ts';
import { loadConfig } from '../../src/config/load.ts';
import { parseOptions } from '../../src/config/problem.ts';
import { secretReader } from '../../src/config/secrets.ts';
import type { Channel, ChannelDefinition } from '../../src/core/channel.ts';
import type { Notification } from '../../src/core/notification.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { parseJson } from '../../src/platform/json.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { sampleNotification } from '../support/sample.ts';

/** Time to look at a message before it changes, ms. */
const LOOK_MS = 15_000;
const DEADLINE_MS = 30_000;

const { env } = process;
const paths = resolvePaths(env, process.platform, homedir());

function say(text: string): void {
  process.stdout.write(`${text}\n`);
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
  const loaded = await loadConfig(paths.config, { definitions: channelDefinitions });
  if (!loaded.ok) throw new Error(`"${paths.config}" has problems: run hookbell config check`);
  const found = loaded.config.channels.find(({ type }) => type === definition.type);
  if (found !== undefined) return found.options;
  throw new Error(
    `No channel of type "${definition.type}" in "${paths.config}" or HOOKBELL_CHANNEL`,
  );
}

/** A message that a person recognizes, with ids of its own. */
function message(fields: Partial<Notification>): Notification {
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

function report(outcome: Outcome): void {
  say(outcome.type === 'delivered' ? '   delivered' : `   ${outcome.type}: ${outcome.reason}`);
}

async function send(channel: Channel, notification: Notification): Promise<string | undefined> {
  const outcome = await channel.send(notification, context());
  report(outcome);
  return outcome.type === 'delivered' ? outcome.ref : undefined;
}

function context() {
  return sendContext({ signal: AbortSignal.timeout(DEADLINE_MS) });
}

/** Sends, repeats, updates and withdraws, with what to look for at each step. */
async function tour(channel: Channel): Promise<void> {
  const { ok, summary } = await channel.check(AbortSignal.timeout(DEADLINE_MS));
  say(`check: ${ok ? 'ok' : 'NOT OK'}: ${summary}`);

  say(
    '1. A permission. Look for: title, command, host, a colour or emoji for "waiting"; no formatting.',
  );
  const asked = message({
    kind: 'needs.permission',
    title: 'hookbell live test: claude needs your permission',
    body: 'Run: npm publish --tag next\nin /home/dev/shop · ada@devbox',
  });
  const ref = await send(channel, asked);

  say(
    '2. The same message again. Look for: a service with a key against repeats shows one message only.',
  );
  await send(channel, { ...asked, possibleDuplicate: true });

  say('3. Hostile texts. Look for: no one is mentioned, nothing is bold, a link or an emoji.');
  const body = `@channel @all @everyone @here <!here> <users/all>\n${hostileTexts.join('\n')}`;
  const hostile = await send(
    channel,
    message({ title: 'hookbell live test: hostile texts', body }),
  );

  say('4. A failure with a long text. Look for: red or urgent, an ellipsis at the end.');
  const failure = message({
    kind: 'turn.failed',
    severity: 'critical',
    title: 'hookbell live test: codex failed',
    body: '👨‍👩‍👧‍👦 a long text. '.repeat(3_000),
  });
  const long = await send(channel, failure);

  await delay(LOOK_MS);
  if (channel.update !== undefined && ref !== undefined) {
    say('5. The permission is updated. Look for: "Over:" in its title.');
    report(await channel.update(ref, { ...asked, title: `Over: ${asked.title}` }, context()));
  }
  for (const sent of channel.withdraw === undefined ? [] : [ref, hostile, long]) {
    if (sent === undefined) continue;
    say(
      '6. A message is withdrawn. Look for: it disappears, or its incident or alert is resolved.',
    );
    report((await channel.withdraw?.(sent, context())) ?? { type: 'delivered' });
  }
}

async function main(type: string | undefined): Promise<void> {
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
  });
  const channel = await definition.create(await optionsOf(definition), dependencies);
  try {
    await tour(channel);
  } finally {
    await channel.close();
    await outbound.close();
  }
}

try {
  await main(process.argv[2]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : 'It failed'}\n`);
  process.exitCode = 1;
}
