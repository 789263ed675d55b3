import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { HistoryView } from '../../../src/control/contract.ts';
import { commandLine } from '../../support/command-line.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import type { RemoteCommandLine } from '../../support/remote-command-line.ts';
import { KEY_VARIABLE, remoteCommandLine } from '../../support/remote-command-line.ts';
import { sampleSessionView } from '../../support/sample-views.ts';
import type { ScriptedAnswer } from '../../support/scripted-answer.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB', 'base64');

function sent(remote: RemoteCommandLine): readonly string[] {
  return remote.mock
    .requests()
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => body);
}

/** A session that rests, so that its message count moves for one reason only. */
function idleSession(remote: RemoteCommandLine): { sessionId: string; title?: string } {
  const found = remote.mock
    .state()
    .sessions.find(({ status, title }) => status === 'idle' && title);
  assert.ok(found !== undefined);
  return found;
}

function heardOf(sessionId: string | null): HistoryView {
  return {
    eventId: 'e',
    at: '2026-11-21T10:00:00.000Z',
    machine: null,
    agent: 'droid',
    called: null,
    event: 'Stop',
    kind: 'turn.done',
    severity: 'info',
    sessionId,
    project: null,
    title: 't',
    text: '',
    decisions: [],
    deliveries: [],
  };
}

function answer(body: object): ScriptedAnswer {
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: JSON.stringify(body) };
}

describe('"hookbell reply"', () => {
  test('shows whom it is for, then the message it became (acceptance 128, 132, 133)', async () => {
    await using remote = await remoteCommandLine();
    const { sessionId, title } = idleSession(remote);

    const { code, stdout, stderr } = await remote.run(['reply', sessionId, 'Go on']);

    assert.equal(code, 0);
    assert.ok(stderr.startsWith(`To "${title}" (idle, `), stderr);
    assert.match(stdout, /^message +msg_\w+\nagent is +(?:idle|pending|running)\n$/);
    assert.deepEqual(sent(remote), ['{"text":"Go on"}']);
  });

  test('ends with 1 where the service marks the message as an error (acceptance 146)', async () => {
    await using cli = await commandLine();
    await using endpoint = await openHttpEndpoint();
    const session = answer({
      sessionId: 's1',
      status: 'idle',
      messageCount: 1,
      createdAt: 1,
      updatedAt: 1,
    });
    const message = { id: 'm1', role: 'user', content: [], createdAt: 1, updatedAt: 1 };
    endpoint.answer(
      session,
      answer({ messageId: 'm1', status: 'idle' }),
      answer({ ...message, isError: true }),
    );
    await cli.write(
      '.config/hookbell/config.yaml',
      `api: { base_url: ${endpoint.url}, key: { env: ${KEY_VARIABLE} } }`,
    );

    const { code, stderr } = await cli.run(['reply', 's1', 'Go on'], {
      env: { [KEY_VARIABLE]: 'key-of-tests' },
    });

    assert.equal(code, 1);
    assert.match(stderr, /The service accepted the message but marked it as an error/);
  });

  test('ends well where the message cannot be read back: it was sent', async () => {
    await using remote = await remoteCommandLine();
    const { sessionId } = idleSession(remote);
    remote.mock.fault({
      match: { method: 'GET', path: `/api/v0/sessions/${sessionId}/messages/*` },
      effect: { kind: 'status', status: 403 },
    });

    const { code } = await remote.run(['reply', sessionId, 'Go on']);

    assert.equal(code, 0);
    assert.equal(sent(remote).length, 1);
  });

  test('takes @last for the session with the most recent event', async () => {
    await using remote = await remoteCommandLine();
    const { sessionId } = idleSession(remote);
    await remote.cli.serve({
      'GET /v1/history': () =>
        Promise.resolve([heardOf(null), heardOf(sessionId), heardOf('older')]),
    });

    const { code, stderr } = await remote.run(['reply', '@last', 'Go on']);

    assert.equal(code, 0, stderr);
    assert.ok(remote.mock.requests().every(({ pathname }) => pathname.includes(sessionId)));
  });

  test('does not take @last for an event that tried the rules, or for an id that is not a session', async () => {
    await using remote = await remoteCommandLine();
    const { sessionId } = idleSession(remote);
    const heard = ['trial-0a1b2c3d', 'test-0a1b2c3d', 'helper', sessionId, 'older'].map(heardOf);
    await remote.cli.serve({
      'GET /v1/history': () => Promise.resolve(heard),
      'GET /v1/sessions': () => Promise.resolve([sampleSessionView({ agent: 'droid', sessionId })]),
    });

    const { code, stderr } = await remote.run(['reply', '@last', 'Go on']);

    assert.equal(code, 0, stderr);
    assert.ok(remote.mock.requests().every(({ pathname }) => pathname.includes(sessionId)));
  });

  test('exits with 6 without a last session', async () => {
    await using remote = await remoteCommandLine();
    await remote.cli.serve({ 'GET /v1/history': () => Promise.resolve([heardOf(null)]) });

    const { code, stderr } = await remote.run(['reply', '@last', 'Go on']);

    assert.equal(code, 6);
    assert.match(stderr, /Cannot reply to the last session/);
  });

  test('sends images and files along, without their local path (acceptance 129, 130)', async () => {
    await using remote = await remoteCommandLine();
    const { sessionId } = idleSession(remote);
    await writeFile(join(remote.cli.home, 'shot.png'), PNG);
    await remote.cli.write('notes/plan.txt', 'Zuerst die Tests');

    const { code, stderr } = await remote.run([
      'reply',
      sessionId,
      'See',
      '--image',
      'shot.png',
      '--file',
      'notes/plan.txt',
    ]);

    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(sent(remote)[0] ?? ''), {
      text: 'See',
      images: [{ data: PNG.toString('base64') }],
      files: [
        {
          name: 'plan.txt',
          parsedData: 'Zuerst die Tests',
          data: Buffer.from('Zuerst die Tests').toString('base64'),
        },
      ],
    });
  });

  test('refuses before anything is sent: no text, no such file, no image, too much (acceptance 128, 220)', async () => {
    await using remote = await remoteCommandLine({ api: 'max_message_size: 1kB' });
    const { sessionId } = idleSession(remote);
    await remote.cli.write('notes.txt', 'no image');

    await writeFile(join(remote.cli.home, 'large.png'), Buffer.concat([PNG, Buffer.alloc(2_000)]));
    await writeFile(join(remote.cli.home, 'data.bin'), Uint8Array.of(255, 0, 1));
    await writeFile(join(remote.cli.home, 'empty.txt'), '');
    for (const [words, reason] of [
      [[' '], /text: expected a non-empty string/],
      [['x', '--file', 'nowhere'], /Cannot read "nowhere"/],
      [['x', '--image', 'notes.txt'], /Cannot send "notes.txt" as an image: it is not a PNG/],
      [['x', '--image', 'large.png'], /"large.png": it has 2024 bytes, limit 1000/],
      [['x', '--file', 'data.bin'], /"data.bin" as a file: it is neither a PDF nor text/],
      [['x', '--file', 'empty.txt'], /"empty.txt": it is empty/],
      [['x', '--file', '/dev/zero'], /"\/dev\/zero": it is not a regular file/],
      [['x'.repeat(1_001)], /have 1001 bytes, limit 1000/],
    ] as const) {
      const { code, stderr } = await remote.run(['reply', sessionId, ...words]);

      assert.equal(code, 2, stderr);
      assert.match(stderr, reason);
    }
    assert.deepEqual(sent(remote), []);
  });

  test('never sends twice: a lost answer is found in the session where that is possible', async () => {
    await using remote = await remoteCommandLine({
      faults: [{ match: { method: 'POST' }, effect: { kind: 'reset', when: 'after' } }],
    });
    const { sessionId } = idleSession(remote);

    const { code, stderr } = await remote.run(['reply', sessionId, 'Go on', '--json']);

    assert.equal(code, 0, stderr);
    assert.match(stderr, /The response was lost, but the session contains the message/);
    assert.equal(sent(remote).length, 1);
  });

  test('ends with 1 and says so where the outcome is unknown, and never sends twice', async () => {
    await using remote = await remoteCommandLine({
      faults: [
        { match: { method: 'POST' }, effect: { kind: 'reset', when: 'after' } },
        // Its second look and all that follow it fail.
        { match: { method: 'GET', nth: 2, times: 9 }, effect: { kind: 'status', status: 403 } },
      ],
    });
    const { sessionId } = idleSession(remote);

    const { code, stdout, stderr } = await remote.run(['reply', sessionId, 'Go on']);

    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /the response was lost, and the session cannot be reread/);
    assert.match(stderr, /The outcome is unknown, so it was not resent/);
    assert.equal(sent(remote).length, 1);
  });

  test('ends with 1 where it did not arrive, and leaves a second try to the person', async () => {
    await using remote = await remoteCommandLine({
      faults: [{ match: { method: 'POST' }, effect: { kind: 'reset', when: 'before' } }],
    });
    const { sessionId } = idleSession(remote);

    const { code, stderr } = await remote.run(['reply', sessionId, 'Go on']);

    assert.equal(code, 1);
    assert.match(stderr, /It was not resent\. Run the command again/);
    assert.equal(sent(remote).length, 1);
  });
});

test('reply to a session of another agent says that it cannot be answered (B7)', async () => {
  await using cli = await commandLine();
  const session = sampleSessionView({ agent: 'gemini', sessionId: 'c1' });
  await cli.serve({ 'GET /v1/sessions': () => Promise.resolve([session]) });

  const { code, stderr } = await cli.run(['reply', 'c1', 'go on']);

  assert.match(
    stderr,
    /Cannot reply to session "c1": it is a session of gemini\n.*in its terminal/,
  );
  assert.equal(code, 1);
});

test('reply without "api" names the setting that is missing, and where it belongs (B7)', async () => {
  await using cli = await commandLine();
  const session = sampleSessionView({ agent: 'droid', sessionId: 'd1' });
  await cli.serve({ 'GET /v1/sessions': () => Promise.resolve([session]) });

  const { code, stderr } = await cli.run(['reply', 'd1', 'go on']);

  assert.match(stderr, /Cannot reply to session "d1": "api.base_url" is not set/);
  assert.match(stderr, /Add to ".*config\.yaml": api: \{ base_url: ADDRESS/);
  assert.equal(code, 3);
});

test('reply gives the words to a session of Claude Code or OpenCode that waits for them, and says what is proved', async () => {
  for (const agent of ['claude', 'opencode'] as const) {
    await using cli = await commandLine();
    const session = sampleSessionView({ agent, key: `${agent}:c1`, sessionId: 'c1' });
    const bodies: unknown[] = [];
    const states = ['confirmed', 'sent', 'refused'] as const;
    await cli.serve({
      'GET /v1/sessions': () => Promise.resolve([session]),
      'POST /v1/caller': () => Promise.resolve({ id: 'the challenge', path: import.meta.filename }),
      'POST /v1/words': ({ body }) => {
        bodies.push(body);
        const state = states[bodies.length - 1] ?? 'refused';
        return Promise.resolve({ state, reason: state === 'refused' ? 'it is busy' : null });
      },
    });
    const reply = () => cli.run(['reply', 'c1', 'go "on"']);

    const [confirmed, open, refused] = [await reply(), await reply(), await reply()];

    assert.match(
      JSON.stringify(bodies[0]),
      /^\{"session":"\w+:c1","text":"go \\"on\\"","caller":\{"challenge":"the challenge","pid":\d+\}\}$/,
    );
    assert.match(confirmed.stderr, /Read back: the session has the exact text/);
    assert.match(open.stderr, /Sent, not confirmed/);
    assert.match(refused.stderr, /Cannot reply to session "c1": it is busy\n.*hookbell install/);
    assert.deepEqual([confirmed.code, open.code, refused.code], [0, 0, 1]);
  }
});
