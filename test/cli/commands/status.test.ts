import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ApiStateView } from '../../../src/control/contract-views.ts';
import { commandLine } from '../../support/command-line.ts';
import {
  hostileText,
  harmlessText,
  sampleMuteView,
  sampleStatusView,
} from '../../support/sample-views.ts';

describe('hookbell status', () => {
  test('--json prints what the daemon answers, as one document', async () => {
    await using cli = await commandLine();
    const status = sampleStatusView();
    await cli.serve({ 'GET /v1/status': () => Promise.resolve(status) });

    const { code, stdout, stderr } = await cli.run(['status', '--json']);

    assert.deepEqual(JSON.parse(stdout), status);
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('says in its first line that notifications are muted, and until when (B13)', async () => {
    await using cli = await commandLine();
    let status = sampleStatusView({
      mutes: [sampleMuteView({ until: '2026-03-01T18:00:00.000Z' })],
      quietUntil: '2026-03-02T07:00:00.000Z',
    });
    await cli.serve({ 'GET /v1/status': () => Promise.resolve(status) });

    const [all = ''] = (await cli.run(['status'])).stdout.split('\n');
    status = sampleStatusView({ mutes: [sampleMuteView({ project: 'shop' })] });
    const [part = ''] = (await cli.run(['status'])).stdout.split('\n');

    assert.match(
      all,
      /^Muted: everything until 2026-03-01 18:00:00 .*\. Quiet hours until 2026-03-02 07:00:00$/,
    );
    assert.match(part, /^Muted: project shop until /);
  });

  test('shows counts, channels and what a person should know of', async () => {
    await using cli = await commandLine();
    const [channel] = sampleStatusView().channels;
    assert.ok(channel);
    await cli.serve({
      'GET /v1/status': () =>
        Promise.resolve(
          sampleStatusView({
            warnings: [`The disk is full: ${hostileText}`],
            channels: [
              {
                ...channel,
                name: 'team',
                state: 'limited',
                lastReason: 'Slack answered 429',
                notBefore: '2026-03-01T10:00:07.000Z',
                paused: [{ what: 'chat.update', until: '2026-03-01T10:00:09.000Z' }],
              },
            ],
          }),
        ),
    });

    const { code, stdout } = await cli.run(['status']);

    assert.match(stdout, /running +version 0\.1\.0, pid 4242, for \d+ d\n/);
    assert.match(stdout, /1 waiting, 2 working/);
    assert.match(stdout, /team +desktop +waits until 2026-03-01 10:00:07 +delivered +Slack answ/);
    assert.match(stdout, /Slack answered 429; chat.update waits until 2026-03-01 10:00:09\n/);
    assert.ok(stdout.includes(`! The disk is full: ${harmlessText}\n`));
    assert.equal(code, 0);
  });

  for (const [api, wanted] of [
    [
      { state: 'off', until: null, reason: null },
      'off: the address or key of the service is not configured',
    ],
    [{ state: 'ok', until: null, reason: null }, 'on\n'],
    [
      { state: 'ok', until: null, reason: hostileText },
      `on, but the last one failed: ${harmlessText}`,
    ],
    [
      { state: 'paused', until: '2026-03-01T10:00:07.000Z', reason: '429' },
      'paused until 2026-03-01 10:00:07: 429',
    ],
  ] satisfies readonly (readonly [ApiStateView, string])[]) {
    test(`says of looking sessions up "${wanted.trim()}"`, async () => {
      await using cli = await commandLine();
      await cli.serve({ 'GET /v1/status': () => Promise.resolve(sampleStatusView({ api })) });

      const { stdout } = await cli.run(['status']);

      assert.ok(stdout.includes(`look-up   ${wanted}`), stdout);
    });
  }

  for (const words of [['status'], ['status', '--json'], ['--json', 'sessions'], ['history']]) {
    test(`"${words.join(' ')}" prints no data and ends with 4 when no daemon runs`, async () => {
      await using cli = await commandLine();

      const { code, stdout, stderr } = await cli.run(words);

      assert.equal(code, 4);
      assert.equal(stdout, '');
      assert.match(stderr, /^hookbell: Cannot reach the daemon: it is not running\n {2}Run "hook/);
    });
  }

  test('an unknown command names the one that is meant and ends with 2', async () => {
    await using cli = await commandLine();

    const { code, stdout, stderr } = await cli.run(['stauts']);

    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /Did you mean status\?/);
  });

  test('--help lists every command', async () => {
    await using cli = await commandLine();

    const { code, stdout } = await cli.run(['--help']);

    assert.equal(code, 0);
    for (const name of 'install start status sessions explain queue config doctor'.split(' ')) {
      assert.match(stdout, new RegExp(`^ {2}${name}\\b`, 'm'));
    }
  });
});
