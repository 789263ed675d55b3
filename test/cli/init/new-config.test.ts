import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { channelCatalog } from '../../../src/channels/registry.ts';
import { parseConfig } from '../../../src/config/load.ts';
import { formatProblem } from '../../../src/config/problem.ts';
import { starterConfig } from '../../../src/config/starter.ts';
import { placeSecrets } from '../../../src/cli/init/place-secrets.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const channelDefinitions = await channelCatalog.load();

async function configOf(text: string) {
  const loaded = await parseConfig(text, 'c.yaml', { catalog: channelCatalog });
  if (!loaded.ok) assert.fail(loaded.problems.map(formatProblem).join('\n'));
  assert.deepEqual(loaded.warnings, []);
  return loaded.config;
}

describe('starterConfig() with choices', () => {
  test('notifies every chosen channel of the events that notify without a configuration, and holds at night', async () => {
    const text = starterConfig('/x.json', {
      definitions: channelDefinitions,
      channels: { desktop: { type: 'desktop' }, file: { type: 'file', path: 'a.jsonl' } },
      quietHours: { from: '22:00', to: '7:30' },
      api: null,
    });

    const { channels, policy } = await configOf(text);

    assert.deepEqual(
      channels.map(({ name }) => name),
      ['desktop', 'file', 'inbox'],
    );
    assert.deepEqual(
      policy.routes.map(({ plan }) => policy.plans[plan]?.steps.map(({ notify }) => notify)),
      [[['desktop', 'file', 'inbox']], [['desktop', 'file', 'inbox']]],
    );
    assert.deepEqual(
      [policy.quietHours[0]?.from, policy.quietHours[0]?.to],
      [22 * 60, 7 * 60 + 30],
    );
  });

  test('notifies the desktop first, and Slack and mail only after 2 minutes without a reaction (B10)', async () => {
    const text = starterConfig('/x.json', {
      definitions: channelDefinitions,
      channels: {
        desktop: { type: 'desktop' },
        terminal: { type: 'terminal' },
        slack: { type: 'slack', webhook: { env: 'WEBHOOK' } },
        email: { type: 'email', to: ['a@example.com'], smtp: { host: 'mx.example.com' } },
      },
      quietHours: null,
      api: null,
    });

    const { policy } = await configOf(text);

    for (const { plan } of policy.routes) {
      assert.deepEqual(
        policy.plans[plan]?.steps.map(({ afterMs, notify }) => [afterMs, notify]),
        [
          [0, ['desktop', 'inbox']],
          [120_000, ['slack', 'email']],
        ],
      );
    }
  });

  test('says any text of the person as it is', async () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((path) => !/\0/.test(path));
    await fc.assert(
      fc.asyncProperty(text, async (path) => {
        const yaml = starterConfig('/x.json', {
          definitions: channelDefinitions,
          channels: { file: { type: 'file', path } },
          quietHours: null,
          api: null,
        });

        const [file] = (await configOf(yaml)).channels;

        assert.deepEqual(file?.options, { path, mode: '0600' });
      }),
    );
  });
});

describe('placeSecrets()', () => {
  test('gives each secret a separate file, beside one that holds something else', async () => {
    await using home = await temporaryDirectory();
    const folder = join(home.path, '.secrets');
    await mkdir(folder);
    await writeFile(join(folder, 'hookbell-slack-webhook'), 'another\n');
    await writeFile(join(folder, 'hookbell-webhook-url'), 'same\n');

    const { channels, secrets } = await placeSecrets(
      [
        { type: 'slack', options: {}, secrets: [{ path: ['webhook'], value: 'mine' }] },
        { type: 'webhook', options: {}, secrets: [{ path: ['url'], value: 'same' }] },
        {
          type: 'email',
          options: { smtp: { host: 'mx' } },
          secrets: [{ path: ['smtp', 'password'], value: 'word' }],
        },
      ],
      home.path,
    );

    assert.deepEqual(channels, {
      slack: { type: 'slack', webhook: { file: '~/.secrets/hookbell-slack-webhook-2' } },
      webhook: { type: 'webhook', url: { file: '~/.secrets/hookbell-webhook-url' } },
      email: {
        type: 'email',
        smtp: { host: 'mx', password: { file: '~/.secrets/hookbell-email-smtp-password' } },
      },
    });
    assert.deepEqual(secrets, [
      { path: join(folder, 'hookbell-slack-webhook-2'), text: 'mine\n' },
      { path: join(folder, 'hookbell-webhook-url'), text: 'same\n' },
      { path: join(folder, 'hookbell-email-smtp-password'), text: 'word\n' },
    ]);
  });
});
