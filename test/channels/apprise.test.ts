import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import apprise from '../../src/channels/apprise.ts';
import type { Channel } from '../../src/core/channel.ts';
import { channelDependencies } from '../support/channel-dependencies.ts';
import { filesIn } from '../support/files-in.ts';
import { ntfyPrograms, startNtfy } from '../support/ntfy-server.ts';
import { sampleNotification } from '../support/sample.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { channelConformance, seededSecret, send } from './conformance.ts';

/** A directory with a configuration of apprise, and the channel that uses it. */
async function openApprise(
  configuration: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly channel: Channel; readonly path: string } & AsyncDisposable> {
  const directory = await temporaryDirectory();
  const { path } = directory;
  await writeFile(join(path, 'services'), configuration, { mode: 0o600 });
  const channel = await apprise.create(
    apprise.options.parse({ config: 'services', ...given }),
    channelDependencies({ baseDir: path, env: { PATH: process.env['PATH'], HOME: path } }),
  );
  return { channel, path, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

/** With a program in place of apprise. */
async function openScript(script: string, given: Readonly<Record<string, unknown>> = {}) {
  const programs = await temporaryDirectory();
  const program = join(programs.path, 'apprise');
  await writeFile(program, `#!/bin/sh\ncd "${programs.path}"\n${script}\n`);
  await chmod(program, 0o700);
  const stage = await openApprise(`json://${seededSecret}@127.0.0.1/`, { program, ...given });
  return {
    channel: stage.channel,
    path: programs.path,
    config: join(stage.path, 'services'),
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await programs[Symbol.asyncDispose]();
    },
  };
}

channelConformance(apprise, async () => {
  const { config: _, ...stage } = await openScript(
    `if [ -e hang ]; then : > reached/yes; sleep 600; fi
     if [ -e broken ]; then cat "\${1#--config=}" >&2; exit 1; fi
     if [ "$2" = --dry-run ]; then exit 0; fi
     cat >> texts; printf '\\0' >> texts; printf '%s,' "$@" >> arguments`,
  );
  const { path } = stage;
  await mkdir(join(path, 'reached'));
  return {
    ...stage,
    arrivals: async () => {
      const text = await readFile(join(path, 'texts'), 'utf8').catch(() => '');
      const shape = await readFile(join(path, 'arguments'), 'utf8').catch(() => '');
      await writeFile(join(path, 'texts'), '');
      await writeFile(join(path, 'arguments'), '');
      return text
        .split('\0')
        .slice(0, -1)
        .map((shown) => ({ shown, shape }));
    },
    hang: () => ({
      reached: writeFile(join(path, 'hang'), '').then(() =>
        filesIn(join(path, 'reached'), (names) => names.length > 0),
      ),
    }),
    break: () => writeFile(join(path, 'broken'), ''),
  };
});

describe('apprise', () => {
  test('the text and the addresses are in no argument, and the type follows the severity', async () => {
    await using stage = await openScript('printf "%s\\n" "$@" > arguments', { tag: 'phone' });

    await send(stage, sampleNotification({ severity: 'critical', kind: 'turn.failed' }));

    const words = await readFile(join(stage.path, 'arguments'), 'utf8');
    assert.deepEqual(words.split('\n'), [
      `--config=${stage.config}`,
      '--tag=phone',
      '--input-format=text',
      '--notification-type=failure',
      '',
    ]);
  });

  for (const [code, type, broken] of [
    [1, 'retry', undefined],
    [2, 'failed', true],
    [3, 'failed', true],
    [4, 'retry', undefined],
  ] as const) {
    test(`exit code ${code} gives "${type}"`, async () => {
      await using stage = await openScript(`cat > /dev/null; exit ${code}`);

      const outcome = await send(stage, sampleNotification());

      assert.equal(outcome.type, type);
      assert.equal(outcome.type === 'failed' ? outcome.channelBroken : undefined, broken);
      assert.equal(outcome.type === 'retry' && outcome.possibleDuplicate, type === 'retry');
    });
  }

  test('a configuration that others may read is refused, by check and by each message', async () => {
    await using stage = await openScript('cat > text');
    await chmod(stage.config, 0o644);

    const outcome = await send(stage, sampleNotification());
    const check = await stage.channel.check(AbortSignal.timeout(5_000));

    assert.ok(outcome.type === 'failed' && outcome.channelBroken === true);
    assert.match(outcome.reason, /other users may access it \(mode 0644, expected 0600\)/);
    assert.match(check.summary, /other users may access it/);
    await assert.rejects(readFile(join(stage.path, 'text')));
  });

  test('a program that does not exist stops the channel', async () => {
    await using stage = await openApprise('json://127.0.0.1/', { program: './none' });

    const outcome = await send(stage, sampleNotification());

    assert.ok(outcome.type === 'failed' && outcome.channelBroken === true);
    assert.match(outcome.reason, /Cannot run "\.\/none"/);
  });

  test('a possible duplicate says so, within the limit', async () => {
    await using stage = await openScript('cat > text', { max_length: 80 });

    await send(stage, sampleNotification({ possibleDuplicate: true, body: 'x'.repeat(500) }));

    const text = await readFile(join(stage.path, 'text'), 'utf8');
    assert.ok(text.length <= 80);
    assert.match(text, /x…\nPossible duplicate$/);
  });
});

describe('apprise, the real program', { skip: needs('apprise', ntfyPrograms['2.27']) }, () => {
  test('reaches a real ntfy server, with emoji and hostile text unchanged', async () => {
    await using server = await startNtfy('2.27');
    const { host } = new URL(server.url);
    await using stage = await openApprise(
      `ntfy://hookbell:password%20of%20hookbell@${host}/agents\n`,
    );
    const body = '$(id) \\n <b>x</b> *y* 👨‍👩‍👧‍👦 "quoted"';

    const outcome = await send(stage, sampleNotification({ title: 'shop: may I?', body }));

    assert.deepEqual(outcome, { type: 'delivered' });
    const [shown, ...more] = await server.shown();
    assert.deepEqual(more, []);
    assert.equal(shown?.message, `❓ shop: may I?\n${body}`);
    assert.equal((await stage.channel.check(AbortSignal.timeout(15_000))).ok, true);
  });

  test('a server that refuses is tried again, and check refuses a file without services', async () => {
    await using server = await startNtfy('2.27');
    const { host } = new URL(server.url);
    await using refused = await openApprise(`ntfy://nobody:wrong@${host}/agents\n`);
    await using empty = await openApprise('# nothing\n');

    assert.equal((await send(refused, sampleNotification())).type, 'retry');
    assert.deepEqual(await server.shown(), []);
    const check = await empty.channel.check(AbortSignal.timeout(15_000));
    assert.match(check.summary, /finds no service/);
  });
});
