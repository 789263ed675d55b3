import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';
import { hostileText, sampleSessionView } from '../../support/sample-views.ts';

describe('hookbell sessions', () => {
  test('shows for how long each session waits, and for what', async () => {
    await using cli = await commandLine();
    const since = new Date(Date.now() - 4.5 * 60_000).toISOString();
    await cli.serve({
      'GET /v1/sessions': () =>
        Promise.resolve([
          sampleSessionView({ since, waitingFor: hostileText }),
          sampleSessionView({ state: 'working', title: null, waitingFor: null, project: null }),
        ]),
    });

    const { code, stdout } = await cli.run(['sessions']);

    const [, waiting = '', working = ''] = stdout.split('\n');
    assert.equal(
      waiting,
      `s1  waiting  4 min  claude  shop     Release 2.0  eviltext · forged line`,
    );
    assert.match(working, /^s1 +working +\d+ d +claude +- +-$/);
    assert.equal(code, 0);
  });

  test('says of which session a person has seen what it wants', async () => {
    await using cli = await commandLine();
    const acknowledgedAt = '2026-03-01T10:05:00.000Z';
    await cli.serve({
      'GET /v1/sessions': () => Promise.resolve([sampleSessionView({ acknowledgedAt })]),
    });

    const { stdout } = await cli.run(['sessions']);

    assert.match(stdout, /\ns1 +waiting, seen +\d+ d +claude +shop /);
  });

  test('shows until when a session is snoozed (B18)', async () => {
    await using cli = await commandLine();
    const snoozedUntil = new Date(Date.now() + 600_000).toISOString();
    await cli.serve({
      'GET /v1/sessions': () => Promise.resolve([sampleSessionView({ snoozedUntil })]),
    });

    const { stdout } = await cli.run(['sessions']);

    assert.match(stdout, /\ns1 +waiting, snoozed until .*\d\d:\d\d.* +\d+ d +claude +shop /);
  });

  test('shows until when a session is paused that wakes itself, and in which round', async () => {
    await using cli = await commandLine();
    const until = new Date();
    until.setHours(23, 58, 30);
    const paused = { state: 'paused', waitingFor: null } as const;
    await cli.serve({
      'GET /v1/sessions': () =>
        Promise.resolve([
          sampleSessionView({ ...paused, schedule: { until: until.toISOString(), round: 3 } }),
          sampleSessionView({ ...paused, schedule: { until: null, round: 1 } }),
        ]),
    });

    const { stdout } = await cli.run(['sessions']);

    assert.match(stdout, /\ns1 +paused until 23:58, round 3 +\d+ d +claude /);
    assert.match(stdout, /\ns1 +paused, time unknown, round 1 +\d+ d +claude /);
  });

  test('shows on which computer a session runs, where one is known', async () => {
    await using cli = await commandLine();
    const since = new Date(Date.now() - 60_000).toISOString();
    await cli.serve({
      'GET /v1/sessions': () =>
        Promise.resolve([
          sampleSessionView({ since, computer: hostileText, waitingFor: 'x' }),
          sampleSessionView({ since, waitingFor: 'y' }),
        ]),
    });

    const [head, ...rows] = (await cli.run(['sessions'])).stdout.split('\n');

    assert.match(head ?? '', / TITLE +COMPUTER +WAITS FOR$/);
    assert.match(rows[0] ?? '', / eviltext forged line +x$/);
    assert.match(rows[1] ?? '', / - +y$/);
  });

  test('--json prints what the daemon answers, asked with state and limit', async () => {
    await using cli = await commandLine();
    const asked: unknown[] = [];
    const sessions = [sampleSessionView()];
    await cli.serve({
      'GET /v1/sessions': ({ query }) => {
        asked.push(Object.fromEntries(query));
        return Promise.resolve(sessions);
      },
    });

    const { stdout } = await cli.run([
      'sessions',
      '--state',
      'waiting,failed',
      '--limit',
      '5',
      '--json',
    ]);
    await cli.run(['sessions']);

    assert.deepEqual(JSON.parse(stdout), sessions);
    assert.deepEqual(asked, [{ state: 'waiting,failed', limit: '5' }, { limit: '1000' }]);
  });

  test('--project shows those of one project, of all that there are', async () => {
    await using cli = await commandLine();
    const shop = sampleSessionView({ project: 'shop' });
    const api = sampleSessionView({ project: 'api' });
    const asked: unknown[] = [];
    await cli.serve({
      'GET /v1/sessions': ({ query }) => {
        asked.push(query.get('limit'));
        return Promise.resolve([shop, api, shop, shop]);
      },
    });

    const { stdout } = await cli.run(['sessions', '--project', 'shop', '-n', '2', '--json']);

    assert.deepEqual(JSON.parse(stdout), [shop, shop]);
    assert.deepEqual(asked, ['1000']);
  });

  test('an empty list prints nothing, and an empty array as JSON', async () => {
    await using cli = await commandLine();
    await cli.serve({ 'GET /v1/sessions': () => Promise.resolve([]) });

    const shown = await cli.run(['sessions']);
    const json = await cli.run(['sessions', '--json']);

    assert.deepEqual(shown, { code: 0, stdout: '', stderr: 'No sessions\n' });
    assert.deepEqual(json, { code: 0, stdout: '[]\n', stderr: '' });
  });

  test('--watch prints a table whenever something changed, and ends well when it is interrupted', async () => {
    await using cli = await commandLine();
    const answers = [['s1'], ['s1'], ['s1', 's2']];
    await cli.serve({
      'GET /v1/sessions': () => {
        const ids = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
        return Promise.resolve(ids.map((title) => sampleSessionView({ title })));
      },
    });

    const child = cli.start(['sessions', '--watch']);
    let shown = '';
    for await (const chunk of child.stdout) {
      shown += String(chunk);
      if (shown.includes(' s2 ')) break;
    }
    const ended = once(child, 'exit');
    child.kill('SIGINT');

    assert.deepEqual(await ended, [0, null]);
    assert.equal(shown.match(/^ID /gm)?.length, 2);
    assert.ok(!shown.includes('\u001b'));
  });

  for (const [words, complaint] of [
    [['--state', 'asleep'], /Unknown value "asleep", expected one of working, waiting/],
    [['--limit', '0'], /The limit is "0", expected a whole number from 1/],
    [['--limit', 'ten'], /The limit is "ten"/],
  ] as const) {
    test(`"sessions ${words.join(' ')}" is refused with 2 before any request`, async () => {
      await using cli = await commandLine();

      const { code, stderr } = await cli.run(['sessions', ...words]);

      assert.equal(code, 2);
      assert.match(stderr, complaint);
    });
  }
});
