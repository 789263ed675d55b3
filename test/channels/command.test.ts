import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import command from '../../src/channels/command.ts';
import type { Channel } from '../../src/core/channel.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { filesIn } from '../support/files-in.ts';
import { sampleNotification } from '../support/sample.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { channelConformance, seededSecret } from './conformance.ts';

/** A directory with a program `run` of the given shell text, and the channel that runs it. */
async function openCommand(
  script: string,
  given: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string | undefined>> = { PATH: process.env['PATH'] },
): Promise<{ readonly channel: Channel; readonly path: string } & AsyncDisposable> {
  const directory = await temporaryDirectory();
  const { path } = directory;
  await writeFile(join(path, 'run'), `#!/bin/sh\n${script}\n`);
  await chmod(join(path, 'run'), 0o700);
  const options = command.options.parse({ command: ['./run'], ...given });
  const channel = await command.create(options, channelDependencies({ baseDir: path, env }));
  return { channel, path, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

const document = z.looseObject({ title: z.string(), body: z.string() });

channelConformance(command, async () => {
  const { channel, path, ...rest } = await openCommand(
    `if [ -e hang ]; then : > reached/yes; sleep 600; fi
     if [ -e broken ]; then echo "$TOKEN" >&2; exit 1; fi
     cat >> lines; printf '%s,' "$#" "$@" >> arguments`,
    { command: ['./run', '$(id)', '--'], env: { TOKEN: seededSecret } },
  );
  await mkdir(join(path, 'reached'));
  let taken = 0;
  return {
    channel,
    arrivals: async () => {
      const text = await readFile(join(path, 'lines'), 'utf8').catch(() => '');
      const lines = text.split('\n').slice(taken, -1);
      taken += lines.length;
      const arguments_ = await readFile(join(path, 'arguments'), 'utf8').catch(() => '');
      await writeFile(join(path, 'arguments'), '');
      return lines.map((line) => {
        const fields = document.parse(JSON.parse(line));
        return {
          shown: `${fields.title}\n${fields.body}`,
          shape: `${arguments_} ${Object.keys(fields).join()}`,
        };
      });
    },
    hang: () => ({
      reached: writeFile(join(path, 'hang'), '').then(() =>
        filesIn(join(path, 'reached'), (names) => names.length > 0),
      ),
    }),
    break: () => writeFile(join(path, 'broken'), ''),
    ...rest,
  };
});

test('command: standard input is one JSON document on one line', async () => {
  await using stage = await openCommand('cat > document');
  const notification = sampleNotification({
    sessionTitle: 'Fix the basket',
    body: 'a\nb',
    durationMs: 5_000,
    possibleDuplicate: true,
  });

  assert.deepEqual(await stage.channel.send(notification, sendContext()), { type: 'delivered' });

  const text = await readFile(join(stage.path, 'document'), 'utf8');
  assert.equal(text.indexOf('\n'), text.length - 1);
  assert.deepEqual(JSON.parse(text), {
    version: 1,
    id: notification.deliveryId,
    at: '2023-11-14T22:13:20.000Z',
    kind: 'needs.input',
    severity: 'warning',
    agent: 'claude',
    event: 'Notification',
    project: 'shop',
    origin: { user: 'ada', host: 'devbox' },
    session: { id: 's1', title: 'Fix the basket', computer: null, activeMs: null, credits: null },
    asked: null,
    title: 'shop: waits for your answer',
    body: 'a\nb',
    durationMs: 5_000,
    possibleDuplicate: true,
  });
});

for (const [code, type] of [
  [0, 'delivered'],
  [1, 'retry'],
  [63, 'retry'],
  [64, 'failed'],
  [74, 'failed'],
  [75, 'retry'],
  [76, 'failed'],
  [78, 'failed'],
  [79, 'retry'],
  [127, 'retry'],
  [255, 'retry'],
] as const) {
  test(`command: exit code ${code} is ${type}`, async () => {
    await using stage = await openCommand(`cat > /dev/null; exit ${code}`);

    const outcome = await stage.channel.send(sampleNotification(), sendContext());

    assert.deepEqual(
      outcome,
      code === 0 ? { type } : { type, reason: `"run" exited with code ${code}` },
    );
  });
}

test('command: a program ended by a signal may have done its work', async () => {
  await using stage = await openCommand('kill -9 $$');

  assert.deepEqual(await stage.channel.send(sampleNotification(), sendContext()), {
    type: 'retry',
    reason: '"run" was ended by SIGKILL',
    possibleDuplicate: true,
  });
});

test('command: a program that does not read its input is delivered by its exit code', async () => {
  await using stage = await openCommand('exec <&-; exit 0');
  const body = 'x'.repeat(500_000);

  const outcome = await stage.channel.send(sampleNotification({ body }), sendContext());

  assert.deepEqual(outcome, { type: 'delivered' });
});

test('command: arguments reach the program as they are, without a shell (T4, P14)', async () => {
  const hostile = ['$(touch hacked)', '`id`', '--help', '"; touch hacked #', 'a b', '', '*'];
  await using stage = await openCommand(`printf '%s\\n' "$@" > arguments`, {
    command: ['./run', ...hostile],
  });

  await stage.channel.send(sampleNotification(), sendContext());

  const text = await readFile(join(stage.path, 'arguments'), 'utf8');
  assert.deepEqual(text.split('\n').slice(0, -1), hostile);
  assert.ok(!(await filesIn(stage.path, () => true)).includes('hacked'));
});

test('command: the program gets a small environment and what the channel adds (P12, T12)', async () => {
  await using stage = await openCommand(
    'env > environment',
    { env: { TOPIC: 'builds' } },
    { PATH: process.env['PATH'], HOME: '/home/dev', SLACK_TOKEN: 'secret', NODE_OPTIONS: '-r x' },
  );

  await stage.channel.send(sampleNotification(), sendContext());

  const text = await readFile(join(stage.path, 'environment'), 'utf8');
  assert.match(text, /^TOPIC=builds$/m);
  assert.match(text, /^HOME=\/home\/dev$/m);
  assert.doesNotMatch(text, /SLACK_TOKEN|NODE_OPTIONS|HOOKBELL/);
});

test('command: runs where the configuration file is, or in "cwd"', async () => {
  await using here = await openCommand('pwd > where');
  await using there = await openCommand('pwd > where', { cwd: '/' });
  await using below = await openCommand('pwd > where', { cwd: 'below' });
  await mkdir(join(below.path, 'below'));

  await here.channel.send(sampleNotification(), sendContext());
  await below.channel.send(sampleNotification(), sendContext());

  assert.equal(await readFile(join(here.path, 'where'), 'utf8'), `${here.path}\n`);
  assert.equal(await readFile(join(below.path, 'below/where'), 'utf8'), `${below.path}/below\n`);
  assert.deepEqual(await there.channel.check(sendContext().signal), {
    ok: true,
    summary: `Runs "${join(there.path, 'run')}"`,
  });
});

test('command: a name without a slash is looked up on PATH', async () => {
  await using stage = await openCommand('', { command: ['true'] });

  assert.deepEqual(await stage.channel.send(sampleNotification(), sendContext()), {
    type: 'delivered',
  });
});

for (const { name, given, trouble } of [
  { name: 'a program that does not exist', given: { command: ['./missing'] }, trouble: 'missing' },
  { name: 'a name that is not on PATH', given: { command: ['no-such-thing'] }, trouble: 'no-such' },
  { name: 'a file that may not be run', given: { command: ['./plain'] }, trouble: 'plain' },
  { name: 'a directory', given: { command: ['./'] }, trouble: './' },
  { name: 'a missing working directory', given: { cwd: 'nowhere' }, trouble: 'does not exist' },
]) {
  test(`command: ${name} breaks the channel and check() says so`, async () => {
    await using stage = await openCommand('', given);
    await writeFile(join(stage.path, 'plain'), '');

    const outcome = await stage.channel.send(sampleNotification(), sendContext());
    const check = await stage.channel.check(sendContext().signal);

    assert.equal(outcome.type, 'failed');
    assert.equal(outcome.type === 'failed' && outcome.channelBroken, true);
    assert.ok('reason' in outcome && outcome.reason.includes(trouble), JSON.stringify(outcome));
    assert.deepEqual(
      [check.ok, 'reason' in outcome && outcome.reason === check.summary],
      [false, true],
    );
  });
}

test('command: options are refused without a program, with NUL and with odd variables', () => {
  for (const given of [
    { command: [] },
    { command: [''] },
    { command: 'notify' },
    { command: ['a\0b'] },
    { command: ['a'], env: { 'A=B': 'x' } },
    { command: ['a'], env: { A: 'x\0' } },
    { command: ['a'], shell: true },
  ]) {
    assert.equal(command.options.safeParse(given).success, false, JSON.stringify(given));
  }
});
