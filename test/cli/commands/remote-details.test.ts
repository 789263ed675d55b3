import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import { lastDays } from '../../../src/vendor/client/index.ts';
import { readErrorBody } from '../../../src/vendor/client/status-error.ts';
import { isNestedTooDeep } from '../../../src/vendor/client/http-attempt.ts';
import { programFile } from '../../../src/platform/program-files.ts';
import { remoteCommandLine } from '../../support/remote-command-line.ts';

test('hookbell service sessions set --tag sends a tag with its metadata, and refuses an empty model (acceptance 122, 125, C12)', async () => {
  await using remote = await remoteCommandLine();
  const session = remote.mock.state().sessions[0]?.sessionId ?? '';

  const tagged = await remote.run(['service', 'sessions', 'set', session, '--tag', 'reviewed']);
  const empty = await remote.run(['service', 'sessions', 'set', session, '--model', '']);

  assert.equal(tagged.code, 0, tagged.stderr);
  const patched = remote.mock.state().sessions.find(({ sessionId }) => sessionId === session);
  assert.match(JSON.stringify(patched), /\{"name":"reviewed","metadata":\{\}\}/);
  assert.equal(empty.code, 2);
  assert.match(empty.stderr, /--model is empty, expected a model id/);
});

test('hookbell service usage says what is wrong with a day by the name of its option (acceptance 081, C12)', async () => {
  await using remote = await remoteCommandLine();
  const today = new Date().toISOString().slice(0, 10);

  const word = await remote.run(['service', 'usage', 'tokens', '--to', 'TODAY']);
  const early = await remote.run(['service', 'usage', 'tokens', '--from', today]);

  assert.deepEqual([word.code, early.code], [2, 2]);
  assert.match(word.stderr, /--to is "TODAY", expected a day as YYYY-MM-DD/);
  assert.match(early.stderr, /--from is ".*", but data ends yesterday \(UTC\)/);
});

for (const [words, header] of [
  [['tokens', '--by', 'user'], 'USER  '],
  [['tokens', '--by', 'user-model'], 'USER +MODEL'],
  [['tools', '--by', 'server'], 'SERVER +INVOCATIONS'],
  [['tools', '--by', 'hook'], 'EVENT +MATCHER +COMMAND +COUNT'],
  [['tools', '--by', 'level'], 'LEVEL +SHARE'],
  [['productivity', '--by', 'language'], 'LANGUAGE +COUNT'],
] as const) {
  test(`hookbell service usage ${words.join(' ')} shows the breakdown inside a day as a table and as CSV (acceptance 037, 047, 048, 052, 055, 071, C12)`, async () => {
    await using remote = await remoteCommandLine();
    const { startDate } = lastDays(7, Date.now());

    const { code, stdout, stderr } = await remote.run(['service', 'usage', ...words]);
    const csv = await remote.run(['service', 'usage', ...words, '--csv']);

    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^DAY \\(UTC\\) +${header}`));
    assert.ok(stdout.split('\n').length > 7 || stdout.includes(startDate), stdout);
    assert.match(csv.stdout, /^day \(UTC\),/);
  });
}

test('hookbell service controls history --max 1 says what the last line changed (acceptance 171, C12)', async () => {
  await using remote = await remoteCommandLine();

  const { stdout, stderr } = await remote.run(['service', 'controls', 'history', '--max', '1']);

  assert.equal(stdout.trimEnd().split('\n').length, 2);
  assert.doesNotMatch(stdout, /oldest shown|first available/);
  assert.match(stderr, /Showing the first 1:/);
});

test('hookbell service controls get shows every documented setting of a revision, those absent as "not set" (acceptance 174, 188, C14)', async () => {
  await using remote = await remoteCommandLine();

  const { code, stdout, stderr } = await remote.run(['service', 'controls', 'get']);

  assert.equal(code, 0, stderr);
  assert.match(stdout, /^sessionRetentionDays +\S/m);
  assert.match(stdout, /^\w+ +not set$/m);
});

test('hookbell service computers get shows relay addresses with --show-relay and in no other way (acceptance 161, C12)', async () => {
  await using remote = await remoteCommandLine();
  const computer = remote.mock.state().computers.find(({ relayAgentUrl }) => relayAgentUrl);
  const address = computer?.relayAgentUrl ?? '?';

  const usual = await remote.run(['service', 'computers', 'get', computer?.name ?? '']);
  const asked = await remote.run([
    'service',
    'computers',
    'get',
    computer?.name ?? '',
    '--show-relay',
  ]);

  assert.ok(!usual.stdout.includes(address));
  assert.ok(asked.stdout.includes(address));
});

test('hookbell reply takes its text from standard input for "-" (acceptance 128, C12)', async () => {
  await using remote = await remoteCommandLine();
  const session = remote.mock.state().sessions.find(({ status }) => status === 'idle');

  const { code, stderr } = await remote.run(
    ['reply', session?.sessionId ?? '', '-', '--timeout', '20s'],
    { input: 'Go on\n' },
  );

  assert.equal(code, 0, stderr);
  const { messages = [] } =
    remote.mock.state().sessions.find(({ sessionId }) => sessionId === session?.sessionId) ?? {};
  assert.match(JSON.stringify(messages.at(-1)), /"Go on"/);
});

test('requests of hookbell name it and its version (C12)', async () => {
  await using remote = await remoteCommandLine();

  const { stderr } = await remote.run(['service', 'computers', 'list', '--verbose']);

  assert.match(stderr, /user-agent: hookbell\/\d+\.\d+\.\d+/);
});

for (const [body, shown] of [
  [{ errors: ['limit is too low', 'email is unknown'] }, 'limit is too low; email is unknown'],
  [
    { message: 'Invalid', errors: [{ field: 'name', code: 'too_long' }] },
    'Invalid: name: too_long',
  ],
  [{ detail: [{ loc: ['body', 'name'], msg: 'too long' }] }, 'body.name: too long'],
  [{ errors: { name: ['is too long', 'is odd'] } }, 'name is too long, is odd'],
  [{ error: { message: 'Invalid' } }, 'Invalid'],
] as const) {
  test(`readErrorBody() shows the reasons in ${JSON.stringify(body)} (acceptance 209, C12)`, () => {
    assert.equal(readErrorBody(JSON.stringify(body), new Headers()).detail, shown);
  });
}

test('isNestedTooDeep() counts brackets outside texts alone', () => {
  assert.ok(isNestedTooDeep('['.repeat(501)));
  assert.ok(!isNestedTooDeep(JSON.stringify({ text: '[{"'.repeat(999) })));
  assert.ok(!isNestedTooDeep('[1],'.repeat(999)));
});

test('JSON that is nested too deep ends a command in a sentence and not in a stack trace (C12)', async () => {
  await using remote = await remoteCommandLine();
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

  const { code, stderr } = await remote.run(
    ['service', 'api', 'PUT', '/api/v0/organization/usage/limits/users', '--input', '-'],
    { input: deep },
  );

  assert.equal(code, 2);
  assert.match(stderr, /nested too deep/);
  assert.doesNotMatch(stderr, /this is a bug|\n {4}at /);
});

test('a full disk behind the output ends a command in a sentence and not in a stack trace (C12)', (t) => {
  if (process.platform !== 'linux') return t.skip('needs /dev/full');
  const program = [process.execPath, programFile('commandLine')].map((one) => `"${one}"`).join(' ');

  const { status, stderr } = spawnSync(
    '/bin/sh',
    ['-c', `${program} service api ls --json > /dev/full`],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: '/nonexistent-for-a-test' },
    },
  );

  assert.equal(status, 1);
  assert.equal(stderr, 'hookbell: Cannot write the output: the disk is full\n');
});
