import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { until } from '../../support/hookbell-home.ts';
import type { RemoteCommandLine } from '../../support/remote-command-line.ts';
import { remoteCommandLine } from '../../support/remote-command-line.ts';

function sessionThat(remote: RemoteCommandLine, status: 'idle' | 'running' | 'pending'): string {
  const found = remote.mock.state().sessions.find((session) => session.status === status);
  assert.ok(found !== undefined);
  return found.sessionId;
}

describe('"hookbell service sessions watch"', () => {
  test('ends with 0 when the session is idle, and says on the way what it does', async () => {
    await using remote = await remoteCommandLine();
    const { mock } = remote;
    const sessionId = sessionThat(remote, 'pending');
    mock.clock.advance(-3_600_000);

    const watching = remote.run(['service', 'sessions', 'watch', sessionId, '--json']);
    await until(() => mock.requests().length > 0);
    mock.clock.advance(3_700_000);
    const { code, stdout, stderr } = await watching;

    assert.equal(code, 0);
    assert.equal(stderr, 'The session is pending\nThe session is done\n');
    const document = JSON.parse(stdout);
    assert.deepEqual(
      [document.sessionId, document.status, document.until, document.outcome],
      [sessionId, 'idle', 'idle', 'reached'],
    );
    assert.match(document.completedAt, /^\d{4}-\d\d-\d\dT.+Z$/);
    assert.equal(typeof document.waitedMs, 'number');
  });

  test('ends with 124 when the time is over', async () => {
    await using remote = await remoteCommandLine();
    const words = ['service', 'sessions', 'watch', sessionThat(remote, 'running')];
    remote.mock.clock.advance(-3_600_000);

    const { code, stdout, stderr } = await remote.run([
      ...words,
      '--until',
      'complete',
      '--timeout',
      '1s',
    ]);

    assert.equal(code, 124);
    assert.match(stdout, /^.+ is running \(waited 1 s\)\n$/);
    assert.match(stderr, /Timed out: the session is not complete\n$/);
  });

  test('ends with 6 for no such session, 5 for a key that is refused, and 7 for too many requests (acceptance 199, 218)', async () => {
    await using remote = await remoteCommandLine();
    const sessionId = sessionThat(remote, 'running');
    const retryAfter = { form: 'seconds', seconds: 3_600 } as const;

    assert.equal((await remote.run(['service', 'sessions', 'watch', 'sess_none'])).code, 6);
    assert.equal(
      (await remote.run(['service', 'sessions', 'watch', sessionId], { key: 'revoked' })).code,
      5,
    );
    remote.mock.fault({ effect: { kind: 'status', status: 429, retryAfter } });
    const limited = await remote.run(['service', 'sessions', 'watch', sessionId]);

    assert.equal(limited.code, 7);
    assert.match(limited.stderr, /Try again in 1 h/);
  });

  test('refuses what it cannot wait for before it asks', async () => {
    await using remote = await remoteCommandLine();

    const word = await remote.run(['service', 'sessions', 'watch', 's1', '--until', 'done']);
    const time = await remote.run(['service', 'sessions', 'watch', 's1', '--timeout', '30']);

    assert.deepEqual([word.code, time.code], [2, 2]);
    assert.match(word.stderr, /Unknown value "done", expected one of idle, complete, /);
    assert.match(time.stderr, /The duration is "30", expected one such as 30m/);
    assert.deepEqual(remote.mock.requests(), []);
  });
});
