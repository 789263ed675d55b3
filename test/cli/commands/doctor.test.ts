import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { describe, test } from 'node:test';

import type { Check } from '../../../src/cli/doctor/check.ts';
import { commandLine } from '../../support/command-line.ts';
import { harmlessText, hostileText, sampleStatusView } from '../../support/sample-views.ts';

interface Examined {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

describe('hookbell doctor', () => {
  test('ends with 1 on a machine without a daemon and says what to run', async () => {
    await using cli = await commandLine();

    const { code, stdout, stderr } = await cli.run(['doctor']);

    assert.equal(code, 1);
    assert.match(
      stdout,
      /^problem {2}daemon +Cannot reach the daemon: it is not running\n +Run "/m,
    );
    assert.match(stdout, /\n\d+ checks ok, \d+ skipped; --all lists them\n$/);
    assert.doesNotMatch(stdout, /^ok /m);
    const all = await cli.run(['doctor', '--all']);
    assert.match(all.stdout, /^ok +node +Node \d/m);
    assert.match(stderr, /^Problems: 1, warnings: \d+\n$/);
  });

  test('ends with 0 when there are only warnings; --json is one document', async () => {
    await using cli = await commandLine();
    const { config } = sampleStatusView();
    const status = sampleStatusView({
      config: { ...config, path: cli.paths.config },
      warnings: ['look at me'],
    });
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(status),
      'GET /v1/agents': () => Promise.resolve([]),
      'GET /v1/words-received': () => Promise.resolve([]),
      'GET /v1/waits-seen': () => Promise.resolve([]),
      'GET /v1/channels': () => Promise.resolve([]),
    });

    const { code, stdout, stderr } = await cli.run(['doctor', '--json']);

    const examined: Examined = JSON.parse(stdout);
    assert.equal(examined.ok, true);
    assert.deepEqual(
      examined.checks.find(({ name }) => name === 'warnings'),
      { name: 'warnings', state: 'warning', summary: 'look at me', hint: null },
    );
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('sees files as they are: open rights, registered hooks, timeouts, secrets', async () => {
    await using cli = await commandLine();
    await cli.write('s/spool/event', 'waits');
    await chmod(cli.paths.state, 0o755);
    await chmod(await cli.write('secret', 'hunter2'), 0o644);
    await cli.write('.config/hookbell/config.yaml', 'api: { key: { file: ~/secret } }\n');
    const handler = { type: 'command', command: '/gone/hookbell-hook', timeout: 5 };
    await cli.write(
      '.claude/settings.json',
      JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } }),
    );

    const { stdout } = await cli.run(['doctor']);

    assert.match(stdout, /^problem {2}state directory +\S+ is open to others \(mode 0755,/m);
    assert.match(
      stdout,
      /^problem {2}secrets +Cannot read the secret .* other users may access it/m,
    );
    assert.match(stdout, /^warning {2}spool +1 event waits for the daemon$/m);
    assert.match(stdout, /^problem {2}agent claude +the hook of Stop cannot be run: \/gone\//m);
    assert.ok(!stdout.includes('hunter2'));
  });

  test('shows foreign text harmlessly', async () => {
    await using cli = await commandLine();
    const view = {
      channel: 'x',
      type: 'slack',
      ok: false,
      summary: hostileText,
      hint: hostileText,
      can: hostileText,
      cannot: hostileText,
    };
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView()),
      'GET /v1/agents': () => Promise.resolve([]),
      'GET /v1/words-received': () => Promise.resolve([]),
      'GET /v1/waits-seen': () => Promise.resolve([]),
      'GET /v1/channels': () => Promise.resolve([view]),
    });

    const { stdout } = await cli.run(['doctor']);

    assert.match(stdout, new RegExp(`channel x +slack: ${harmlessText}\\n +${harmlessText}\\n`));
  });
});
