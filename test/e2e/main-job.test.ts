import assert from 'node:assert/strict';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { fileChannelHome } from '../support/file-channel-home.ts';
import { until } from '../support/hookbell-home.ts';

const base = { session_id: 's1', cwd: '/home/dev/shop' };

describe('from the hook to the channel', () => {
  test('each of the five events of the interface becomes one notification (acceptance 002-010, 032)', async () => {
    await using place = await fileChannelHome();
    await place.start();

    for (const payload of [
      { ...base, hook_event_name: 'Notification', message: 'needs you' },
      { ...base, hook_event_name: 'PostToolUse', tool_name: 'Bash' },
      { ...base, hook_event_name: 'SubagentStop' },
      { ...base, hook_event_name: 'Stop' },
      { ...base, hook_event_name: 'SessionEnd', reason: 'error' },
    ]) {
      const { code, stdout, stderr } = await place.hook(payload);
      assert.deepEqual([code, stdout, stderr], [0, '', '']);
    }
    await until(async () => (await place.lines()).length >= 5);

    const lines = await place.lines();
    assert.deepEqual(
      lines.map(({ kind, severity }) => `${kind} ${severity}`),
      [
        'needs.input warning',
        'tool.done info',
        'subagent.done info',
        'turn.done info',
        'session.end critical',
      ],
    );
    assert.ok(lines.every(({ project, sessionId }) => project === 'shop' && sessionId === 's1'));
    assert.match(lines[0]?.body ?? '', /needs you/);
  });

  test('events sent while no daemon runs are delivered once each when the hook has started one (promise 1)', async () => {
    await using place = await fileChannelHome();
    const daemon = await place.start();
    daemon.kill('SIGKILL');
    await until(() => daemon.signalCode !== null);

    const wanted = Array.from({ length: 100 }, (_, number) => `claim ${number}`);
    for (const message of wanted) {
      await place.hook({ ...base, hook_event_name: 'Notification', message });
    }
    await until(async () => (await place.lines()).length >= wanted.length);
    await until(async () => (await place.ask('GET /v1/status')).deliveries.pending === 0);

    const claims = (await place.lines()).map(({ body }) => /claim \d+/.exec(body)?.[0] ?? body);
    assert.deepEqual(claims.toSorted(), wanted.toSorted());
  });

  test('a payload that cannot be read goes to the quarantine, and status says so', async () => {
    await using place = await fileChannelHome();
    await place.start();

    await place.hook('not an object');
    await until(async () => (await place.ask('GET /v1/status')).spool.quarantined === 1);

    const [found] = await place.ask('GET /v1/quarantine');
    assert.equal(found?.reason, 'not-object');
  });

  test('a second daemon for the same state directory leaves without a word (fault 10)', async () => {
    await using place = await fileChannelHome();
    const first = await place.start();
    const second = await place.start();
    await until(() => second.exitCode !== null);

    assert.equal(second.exitCode, 0);
    assert.equal(first.exitCode, null);
  });

  test('SIGTERM ends the daemon with code 0 and leaves no socket or pid file behind (fault 6)', async () => {
    await using place = await fileChannelHome();
    const daemon = await place.start();

    daemon.kill('SIGTERM');
    await until(() => daemon.exitCode !== null);

    assert.equal(daemon.exitCode, 0);
    await assert.rejects(readFile(place.paths.pidFile), { code: 'ENOENT' });
  });
});

describe('a configuration that changes while the daemon runs (fault 47)', () => {
  test('a good one is taken, a bad one leaves the old one in force and is reported', async () => {
    await using place = await fileChannelHome();
    await place.start();

    await place.writeConfig('channels: { out: { type: nonsense } }\n');
    await until(async () => !(await place.ask('GET /v1/status')).config.ok);
    await place.hook({ ...base, hook_event_name: 'Notification', message: 'still here' });
    await until(async () => (await place.lines()).length === 1);

    const { config, channels } = await place.ask('GET /v1/status');
    assert.match(config.problems.join(), /config\.yaml:1:\d+ .*nonsense/);
    assert.ok(channels.some(({ name }) => name === 'out'));

    await place.writeConfig(`channels: { other: { type: file, path: ${place.home}/x } }\n`);
    await until(async () => (await place.ask('GET /v1/status')).config.ok);

    const after = await place.ask('GET /v1/status');
    assert.ok(after.channels.some(({ name }) => name === 'other'));
  });

  test('SIGHUP reads it again where no watcher can see the change, as behind a symbolic link', async () => {
    await using place = await fileChannelHome();
    const real = join(place.home, 'dotfiles', 'hookbell.yaml');
    await mkdir(dirname(real));
    await rename(place.paths.config, real);
    await symlink(real, place.paths.config);
    const daemon = await place.start();

    await writeFile(real, `channels: { other: { type: file, path: ${place.home}/x } }\n`);
    daemon.kill('SIGHUP');

    await until(async () => {
      const { channels } = await place.ask('GET /v1/status');
      return channels.some(({ name }) => name === 'other');
    });
    assert.equal(daemon.exitCode, null);
  });
});
