import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { hookbellHome, until } from '../support/hookbell-home.ts';
import { isAlive } from '../support/is-alive.ts';

describe('a daemon that hangs (A13)', { timeout: 300_000 }, () => {
  test('"hookbell stop" ends it, says how, and takes a bounded time', async () => {
    await using place = await hookbellHome();
    const daemon = await place.start();
    const ended = once(daemon, 'exit');
    daemon.kill('SIGSTOP');

    const began = performance.now();
    const { code, stderr } = await place.cli('stop');

    assert.equal(code, 0, stderr);
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    assert.match(stderr, /does not answer or end: sending it SIGTERM/);
    assert.match(stderr, /did not end within 10 s: sending it SIGKILL/);
    assert.match(stderr, new RegExp(`Stopped the daemon, pid ${daemon.pid}`));
    assert.ok(performance.now() - began < 60_000);
    const again = await place.cli('stop');
    assert.match(again.stderr, /No daemon is running/);
  });

  for (const word of ['restart', 'start']) {
    test(`"hookbell ${word}" replaces it with one that answers`, async () => {
      await using place = await hookbellHome();
      const daemon = await place.start();
      const ended = once(daemon, 'exit');
      daemon.kill('SIGSTOP');

      const { code, stderr } = await place.cli(word);

      assert.equal(code, 0, stderr);
      await ended;
      const { pid } = await place.ask('GET /v1/status');
      assert.notEqual(pid, daemon.pid);
      assert.match(stderr, new RegExp(`Started the daemon, pid ${pid}`));
    });
  }

  test('a process that has the number of an earlier daemon is left alone', async () => {
    await using place = await hookbellHome();
    const daemon = await place.start();
    const ended = once(daemon, 'exit');
    const text = await readFile(place.paths.pidFile, 'utf8');
    daemon.kill('SIGKILL');
    await ended;
    const stranger = spawn('sleep', ['60']);
    await until(() => stranger.pid !== undefined);
    await writeFile(place.paths.pidFile, text.replace(/^\d+/, String(stranger.pid)));

    const { code, stderr } = await place.cli('stop');

    assert.equal(code, 0);
    assert.match(stderr, /No daemon is running/);
    assert.equal(isAlive(stranger.pid ?? 0), true);
    stranger.kill();
  });
});
