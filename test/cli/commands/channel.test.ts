import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { withChannel } from '../../../src/cli/commands/channel.ts';
import { hookbellHome } from '../../support/hookbell-home.ts';

const commented = `# mine
channels:
  # the screen
  desktop: { type: desktop } # at work
routes:
  - { match: { kind: waiting }, notify: desktop }
`;

describe('withChannel() (B10)', () => {
  test('keeps every comment and every other line', async () => {
    const entry = { type: 'file', path: '~/out.jsonl' };

    const text = await withChannel(commented, 'c.yaml', { name: 'log', entry });

    const added = '  log: { type: file, path: ~/out.jsonl }\n';
    assert.equal(text, commented.replace('routes:', `${added}routes:`));
  });

  test('keeps the desktop where the configuration named no channel', async () => {
    const text = await withChannel('# empty\n', 'c.yaml', {
      name: 'here',
      entry: { type: 'terminal' },
    });

    assert.match(text, /^ {2}desktop:/m);
    assert.match(text, /^ {2}here: \{ type: terminal \}/m);
  });

  test('refuses a name that is taken, and a text that cannot be read', async () => {
    const desktop = { name: 'desktop', entry: { type: 'terminal' } };

    await assert.rejects(withChannel(commented, 'c.yaml', desktop), {
      message: 'Channel "desktop" already exists',
    });
    await assert.rejects(withChannel('channels: [', 'c.yaml', desktop), { name: 'ConfigError' });
  });
});

test('"hookbell channel add" puts the secret into a file of its own and never into the configuration (B10)', async () => {
  await using place = await hookbellHome();
  await place.writeConfig(commented);
  place.env['HOOKBELL_INIT_SLACK_WEBHOOK'] = 'https://hooks.slack.com/services/T0/B0/hunter2';

  const refused = await place.cli('channel', 'add', 'team');
  const { code, stderr } = await place.cli('channel', 'add', 'team', '--type', 'slack');

  assert.equal(refused.code, 2);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /run "hookbell test team"/);
  const secret = join(place.home, '.secrets/hookbell-slack-webhook');
  assert.match(await readFile(secret, 'utf8'), /hunter2/);
  assert.equal((await stat(secret)).mode & 0o777, 0o600);
  const written = await readFile(place.paths.config, 'utf8');
  assert.match(written, /# at work\n {2}team: \{ type: slack, webhook: \{ file: ~\/\.secrets\//);
  assert.ok(!written.includes('hunter2'));
});
