import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseConfig } from '../../src/config/load.ts';
import { narrow } from '../../src/config/narrow.ts';
import { MachinePolicy } from '../../src/core/hub/machine-policy.ts';
import { bodyDetails } from '../../src/core/notification.ts';
import { sampleCatalog } from '../support/sample-channels.ts';

async function configOf(text: string) {
  const loaded = await parseConfig(text, '/config.yaml', { catalog: sampleCatalog });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.config;
}

const written = await configOf(`
channels:
  here: { type: desktop, redact: off }
  brief: { type: desktop, body: summary }
  silent: { type: log, body: none, redact: on, path: /log }
redact: { notifications: off, prefixes: [acme_] }
`);

const level = (body: (typeof bodyDetails)[number]): number => bodyDetails.indexOf(body);

test('narrow() takes away texts, secrets and channels, and gives back nothing that the file forbids', () => {
  const policies: readonly MachinePolicy[] = bodyDetails.flatMap((text) =>
    [undefined, [], ['desktop'], ['log', 'desktop']].flatMap((channels) =>
      [{}, { redact: true as const }].map((redact) => ({
        text,
        ...redact,
        ...(channels !== undefined && { channels }),
      })),
    ),
  );
  for (const policy of policies) {
    const config = narrow(written, policy);
    for (const [index, channel] of config.channels.entries()) {
      const before = written.channels[index];
      assert.ok(before);
      assert.equal(
        level(channel.body),
        Math.max(level(before.body), level(policy.text ?? 'full')),
        channel.name,
      );
      assert.equal(channel.redact, policy.redact === true ? true : before.redact);
      const isForbidden =
        channel.type !== 'inbox' && policy.channels?.includes(channel.type) === false;
      assert.equal(config.policy.forbiddenChannels?.includes(channel.name), isForbidden);
    }
    const isRedacted = policy.redact === true;
    assert.deepEqual(
      [config.redact.notifications, config.redact.history, config.redact.prefixes],
      [isRedacted, isRedacted, ['acme_']],
    );
    assert.deepEqual(config.raw, written.raw);
  }
});

test('narrow() turns off what only the hub reports, and leaves the rest', async () => {
  const config = await configOf(`
api: { base_url: https://api.example.com, key: { env: KEY } }
channels: { here: { type: desktop } }
digest: { notify: here }
budget: { organization: 1000 }
watch: { computers: {}, readiness: {}, sessions: {} }
`);
  const isOn = ({ digest, budget, watch }: typeof config) =>
    [digest, budget, ...Object.values(watch)].map((part) => part !== null);

  assert.deepEqual(isOn(narrow(config, {})), isOn(config));
  const { digest, budget, watch } = narrow(config, { hubOnly: ['digest', 'computers'] });
  assert.deepEqual([digest, watch.computers, watch.controls], [null, null, null]);
  assert.ok(budget !== null && watch.readiness !== null && watch.sessions !== null);
});

test('MachinePolicy refuses what it does not know, and a policy that would allow something', () => {
  for (const wrong of [
    { text: 'long' },
    { redact: false },
    { channels: 'desktop' },
    { sound: 'off' },
  ]) {
    assert.equal(MachinePolicy.safeParse(wrong).success, false, JSON.stringify(wrong));
  }
});
