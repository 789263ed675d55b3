import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ChannelConfig } from '../../src/config/channel-schema.ts';
import type { ChannelDefinition } from '../../src/core/channel.ts';
import { ConfigError } from '../../src/platform/errors.ts';
import { silentLog } from '../../src/platform/log.ts';
import { startChannels } from '../../src/daemon/running-channels.ts';
import inbox from '../../src/channels/inbox.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { sampleNotification } from '../support/sample.ts';

function configured(name: string, create: ChannelDefinition['create']): ChannelConfig {
  const definition = { ...inbox, create };
  return {
    name,
    type: 'inbox',
    limits: inbox.limits,
    body: 'full',
    redact: null,
    settleDelayMs: null,
    options: {},
    definition,
  };
}

function refusing(error: Error): ChannelConfig {
  return configured('team', async () => {
    throw error;
  });
}

async function startOne(channel: ChannelConfig) {
  const running = await startChannels([channel], () => channelDependencies(), silentLog);
  const found = running.get(channel.name);
  assert.ok(found !== undefined);
  return found;
}

test('startChannels(): a channel that cannot be set up says why, and what to do', async () => {
  const error = new ConfigError('The token is not set', { hint: 'Set it where the daemon starts' });

  const { problem, channel } = await startOne(refusing(error));
  const check = await channel.check(sendContext().signal);

  assert.equal(problem, 'The token is not set');
  assert.deepEqual(check, {
    ok: false,
    summary: 'The token is not set',
    hint: 'Set it where the daemon starts',
  });
});

test('startChannels(): other errors are reported by name only, because the text may hold a secret (T12)', async () => {
  const { problem, channel } = await startOne(refusing(new TypeError('xoxb-secret is no URL')));

  const { summary, hint } = await channel.check(sendContext().signal);

  assert.equal(problem, 'Cannot start the channel (TypeError); see "hookbell logs"');
  assert.equal(summary, problem);
  assert.match(hint ?? '', /^Correct the channel in the configuration/);
});

test('startChannels(): what waits for a broken channel is not lost, nor tried in vain', async () => {
  const { channel } = await startOne(refusing(new ConfigError('No such file')));

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.deepEqual(outcome, { type: 'failed', reason: 'No such file', channelBroken: true });
});

test('startChannels(): one that fails does not keep the others from working', async () => {
  const running = await startChannels(
    [
      refusing(new Error('no')),
      configured('good', (_, dependencies) => inbox.create({}, dependencies)),
    ],
    () => channelDependencies(),
    silentLog,
  );

  assert.equal(running.get('good')?.problem, null);
});
