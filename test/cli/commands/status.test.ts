import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ApiStateView, ListenView, RelayView } from '../../../src/control/contract-views.ts';
import type { StatusView } from '../../../src/control/contract.ts';
import { channelWarning } from '../../../src/control/contract-views.ts';
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

    assert.match(stdout, /running +version 0\.1\.0, pid 4242, for \d+ d, started by a hook\n/);
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

  test('names the problems of a configuration that is not in effect', async () => {
    await using cli = await commandLine();
    const config = {
      ...sampleStatusView().config,
      ok: false,
      problems: [`line 4: ${hostileText}`],
    };
    await cli.serve({ 'GET /v1/status': () => Promise.resolve(sampleStatusView({ config })) });

    const { code, stdout } = await cli.run(['status']);

    assert.equal(code, 0);
    assert.match(
      stdout,
      new RegExp(
        `^config    .*config\\.yaml is not in effect:\n {10}line 4: ${harmlessText}$`,
        'm',
      ),
    );
  });

  const relay: RelayView = {
    to: 'https://hub.example.com',
    state: 'ok',
    reason: null,
    lastAt: null,
    waiting: 0,
    waitingSince: null,
    policy: null,
  };
  const listen: ListenView = { addresses: ['/run/a', 'https://b'], problem: null, machines: [] };
  const LONG_AGO = '2026-01-01T10:00:00.000Z';
  const rows: readonly (readonly [Partial<StatusView>, RegExp])[] = [
    [{ heartbeat: { everyMs: 60_000, lastAt: null, reason: null } }, /^heartbeat every 1 min$/m],
    [
      { heartbeat: { everyMs: 60_000, lastAt: LONG_AGO, reason: null } },
      /^heartbeat every 1 min, the last one \d+ d ago$/m,
    ],
    [
      { heartbeat: { everyMs: 60_000, lastAt: LONG_AGO, reason: 'status 500' } },
      /^heartbeat every 1 min, but the last one failed: status 500$/m,
    ],
    [{ relay }, /^relay {5}to https:\/\/hub\.example\.com, works$/m],
    [
      { relay: { ...relay, lastAt: LONG_AGO, waiting: 3 } },
      /^relay .*, last forwarded \d+ d ago, 3 events wait$/m,
    ],
    [{ relay: { ...relay, state: 'starting' } }, /^relay .*, nothing to forward yet$/m],
    [
      { relay: { ...relay, state: 'down', reason: 'refused connections' } },
      /^relay .*, unreachable: refused connections$/m,
    ],
    [
      { relay: { ...relay, state: 'refused', reason: 'the token was revoked' } },
      /^relay .*, refused: the token was revoked$/m,
    ],
    [{ listen }, /^listen {4}on \/run\/a, https:\/\/b, 0 paired$/m],
    [{ listen: { ...listen, problem: 'port in use' } }, /^listen {4}failed: port in use$/m],
    [
      { api: { state: 'paused', until: null, reason: 'the key was refused' } },
      /^look-up {3}paused: the key was refused$/m,
    ],
  ];
  for (const [fields, line] of rows) {
    test(`has a line ${line.source}`, async () => {
      await using cli = await commandLine();
      await cli.serve({ 'GET /v1/status': () => Promise.resolve(sampleStatusView(fields)) });

      const { stdout } = await cli.run(['status']);

      assert.match(stdout, line);
    });
  }

  test('lists each address that is served, and leaves out one that cannot be', async () => {
    await using cli = await commandLine();
    const served = 'http://127.0.0.1:9464';
    const endpoints = [
      { name: 'metrics', origin: served },
      { name: 'reply_page', origin: null },
      { name: 'page', origin: served },
      { name: 'hub.page', origin: served },
    ] as const;
    await cli.serve({ 'GET /v1/status': () => Promise.resolve(sampleStatusView({ endpoints })) });

    const { stdout } = await cli.run(['status']);

    assert.ok(
      stdout.includes(
        `metrics   ${served}/metrics\npage      ${served}, opened by "hookbell open"\nteam page ${served}, for the proxy`,
      ),
      stdout,
    );
    assert.doesNotMatch(stdout, /^replies/m);
  });

  test('shows the state of each channel, and its warning only there', async () => {
    await using cli = await commandLine();
    const [channel] = sampleStatusView().channels;
    assert.ok(channel);
    const notBefore = '2026-03-01T10:00:07.000Z';
    const channels = [
      { ...channel, name: 'a', state: 'limited' },
      { ...channel, name: 'b', state: 'open' },
      { ...channel, name: 'c', state: 'open', notBefore },
      { ...channel, name: 'd', state: 'broken', lastOutcome: null, lastReason: 'no token' },
    ] as const;
    const warnings = [`${channelWarning('d')} no token`, 'The disk is full'];
    await cli.serve({
      'GET /v1/status': () => Promise.resolve(sampleStatusView({ channels, warnings })),
    });

    const { stdout } = await cli.run(['status']);

    assert.match(stdout, /^a +desktop +waits +delivered *$/m);
    assert.match(stdout, /^b +desktop +paused +delivered *$/m);
    assert.match(stdout, /^c +desktop +paused until 2026-03-01 10:00:07 +delivered *$/m);
    assert.match(stdout, /^d +desktop +broken +- +no token$/m);
    assert.deepEqual(stdout.match(/^!.*$/gm), ['! The disk is full']);
  });

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
