import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { Effect } from '../../support/reference-service/faults/effects.ts';
import { until } from '../../support/hookbell-home.ts';
import type { RemoteCommandLine } from '../../support/remote-command-line.ts';
import { KEY_VARIABLE, remoteCommandLine } from '../../support/remote-command-line.ts';

const TEXT = 'Take the second plan';

/** How often the service has these words. */
function arrived(remote: RemoteCommandLine, sessionId: string): number {
  const session = remote.mock.state().sessions.find((one) => one.sessionId === sessionId);
  const texts = session?.messages.flatMap(({ content }) => content.map(({ text }) => text));
  return texts?.filter((text) => text === TEXT).length ?? 0;
}

function posts(remote: RemoteCommandLine): number {
  return remote.mock.requests().filter(({ method }) => method === 'POST').length;
}

function idle(remote: RemoteCommandLine): string {
  const found = remote.mock.state().sessions.find(({ status }) => status === 'idle');
  assert.ok(found);
  return found.sessionId;
}

/** Kills a reply while the service is silent about it. */
async function killedReply(
  remote: RemoteCommandLine,
  sessionId: string,
  effect: Effect,
): Promise<void> {
  const over = remote.mock.fault({ match: { method: 'POST' }, effect });
  const child = remote.cli.start(['reply', sessionId, TEXT], {
    [KEY_VARIABLE]: remote.mock.keys.owner,
  });
  const before = posts(remote);
  await until(() => posts(remote) > before);
  child.kill('SIGKILL');
  await once(child, 'exit');
  over();
}

describe('"hookbell reply" over crashes and repeats', () => {
  test('finds out that the killed run had sent it, says so and sends nothing', async () => {
    await using remote = await remoteCommandLine();
    const sessionId = idle(remote);
    await killedReply(remote, sessionId, { kind: 'hang', when: 'after' });
    assert.equal(arrived(remote, sessionId), 1);

    const again = await remote.run(['reply', sessionId, TEXT]);

    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stderr, /Already sent before: not sent again/);
    assert.deepEqual([posts(remote), arrived(remote, sessionId)], [1, 1]);
    // Now the person knows, so the same words are a new reply.
    const third = await remote.run(['reply', sessionId, TEXT]);
    assert.equal(third.code, 0, third.stderr);
    assert.equal(arrived(remote, sessionId), 2);
  });

  test('sends what the killed run could not', async () => {
    await using remote = await remoteCommandLine();
    const sessionId = idle(remote);
    await killedReply(remote, sessionId, { kind: 'hang', when: 'before' });
    assert.equal(arrived(remote, sessionId), 0);

    const { code, stderr } = await remote.run(['reply', sessionId, TEXT]);

    assert.equal(code, 0, stderr);
    assert.match(stderr, /Read back: the session has the exact text/);
    assert.equal(arrived(remote, sessionId), 1);
  });

  test('does not send while the outcome of an earlier attempt is unknown', async () => {
    await using remote = await remoteCommandLine();
    const running = remote.mock.state().sessions.find(({ status }) => status === 'running');
    assert.ok(running);
    await killedReply(remote, running.sessionId, { kind: 'hang', when: 'after' });

    const { code, stderr } = await remote.run(['reply', running.sessionId, TEXT]);

    assert.equal(code, 1);
    assert.match(stderr, /Cannot determine whether an earlier attempt sent this reply/);
    assert.match(stderr, /Nothing was sent now/);
    assert.equal(posts(remote), 1);
  });

  test('under --key sends once and for all, and shows the receipt each time', async () => {
    await using remote = await remoteCommandLine();
    const sessionId = idle(remote);
    const words = ['reply', sessionId, TEXT, '--key', 'build-77', '--json'];

    const first = JSON.parse((await remote.run(words)).stdout);
    const second = JSON.parse((await remote.run(words)).stdout);

    assert.deepEqual([first.earlier, first.receipt], [false, 'same']);
    assert.deepEqual(
      [second.messageId, second.earlier, second.receipt],
      [first.messageId, true, 'same'],
    );
    assert.equal(arrived(remote, sessionId), 1);
  });

  test('under --key sends no other words, and says that it did not', async () => {
    await using remote = await remoteCommandLine();
    const sessionId = idle(remote);
    await remote.run(['reply', sessionId, TEXT, '--key', 'k']);

    const { code, stderr } = await remote.run(['reply', sessionId, 'Take none', '--key', 'k']);

    assert.equal(code, 1);
    assert.match(stderr, /Another reply was sent before under the same key/);
    assert.equal(posts(remote), 1);
  });

  test('two at the same time send one', async () => {
    await using remote = await remoteCommandLine();
    const sessionId = idle(remote);
    remote.mock.fault({ match: { method: 'POST' }, effect: { kind: 'latency', ms: 6_000 } });
    const words = ['reply', sessionId, TEXT, '--key', 'k'];

    const first = remote.run(words);
    await until(() => posts(remote) === 1);
    const second = await remote.run(words);

    assert.equal((await first).code, 0);
    assert.deepEqual(
      [second.code, /another process is sending the same one now/.test(second.stderr)],
      [1, true],
    );
    assert.equal(arrived(remote, sessionId), 1);
  });

  test('keeps neither words nor keys on disk', async () => {
    await using remote = await remoteCommandLine();
    const sessionId = idle(remote);
    await remote.run(['reply', sessionId, TEXT, '--key', 'seeded-key']);

    const directory = remote.cli.paths.replies;
    const files = await readdir(directory);
    const kept = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));

    assert.equal(files.length, 1);
    for (const text of [TEXT, 'seeded-key', remote.mock.keys.owner]) {
      assert.ok(!`${files.join()}${kept.join()}`.includes(text), text);
    }
  });

  for (const [status, code] of [
    [401, 5],
    [404, 6],
    [429, 7],
  ] as const) {
    test(`ends with ${code} on a ${status}, and the same words can be sent again`, async () => {
      await using remote = await remoteCommandLine();
      const sessionId = idle(remote);
      const over = remote.mock.fault({
        match: { method: 'POST' },
        effect: {
          kind: 'status',
          status,
          ...(status === 429 && { retryAfter: { form: 'seconds', seconds: 600 } }),
        },
      });

      const refused = await remote.run(['reply', sessionId, TEXT]);
      over();
      const sent = await remote.run(['reply', sessionId, TEXT]);

      assert.deepEqual([refused.code, sent.code], [code, 0], refused.stderr);
      assert.equal(arrived(remote, sessionId), 1);
    });
  }

  test('on a 503 after the service took it, finds it in the session and does not send it again', async () => {
    await using remote = await remoteCommandLine();
    const sessionId = idle(remote);
    remote.mock.fault({
      match: { method: 'POST' },
      effect: { kind: 'status', status: 503, when: 'after' },
    });

    const { code, stderr } = await remote.run(['reply', sessionId, TEXT]);

    assert.equal(code, 0, stderr);
    assert.deepEqual([posts(remote), arrived(remote, sessionId)], [1, 1]);
  });
});
