import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { inPrivateMounts, needsPrivateMounts } from '../support/private-mounts.ts';
import { openPseudoTerminal } from '../support/pseudo-terminal.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { onlyFile, readSpool } from './read-spool.ts';
import {
  hookVariants,
  noticeable,
  runHook,
  shellHookPath,
  shellVariants,
  unnoticed,
} from './run-hook.ts';

for (const variant of hookVariants) {
  describe(`the hook under ${variant.name}`, { skip: variant.skip, timeout: 20_000 }, () => {
    const oddities: Readonly<Record<string, string>> = {
      'closed standard input': 'exec "$@" <&-',
      'a directory as standard input': 'exec "$@" <.',
      'closed output': 'exec "$@" >&- 2>&-',
      'everything closed': 'exec "$@" <&- >&- 2>&-',
      'a full output': 'exec "$@" >/dev/full 2>&1',
      'no PATH': 'unset PATH; exec "$@"',
      'an empty PATH': 'PATH=; export PATH; exec "$@"',
    };
    for (const [name, script] of Object.entries(oddities)) {
      test(`stays unnoticed with ${name} (acceptance 020, 023, faults 40, 42)`, async () => {
        await using state = await temporaryDirectory();
        const [program = '', ...words] = variant.command;

        const run = await runHook({ ...variant, command: words }, '{"a":1}', {
          env: { HOOKBELL_STATE_DIR: state.path },
          wrapper: ['sh', '-c', `set -- "$(command -v ${program})" "$@"; ${script}`, 'sh'],
        });

        assert.deepEqual(noticeable(run), unnoticed);
        const [file] = readSpool(state.path);
        assert.ok(file !== undefined, 'The hook left no file');
        if (!script.includes('<')) assert.equal(file.payload.toString(), '{"a":1}');
      });
    }

    test(
      'does not read a terminal, whose keys are for the agent',
      {
        skip: needs('script'),
      },
      async () => {
        await using state = await temporaryDirectory();
        await using terminal = await openPseudoTerminal();

        const run = await runHook(variant, '', {
          env: { HOOKBELL_STATE_DIR: state.path, TERMINAL: terminal.path },
          wrapper: ['sh', '-c', 'exec "$@" <"$TERMINAL"', 'sh'],
        });

        assert.deepEqual(noticeable(run), unnoticed);
        const { payload, isWhole } = onlyFile(state.path);
        assert.deepEqual({ payload: payload.toString(), isWhole }, { payload: '', isWhole: true });
      },
    );

    for (const [name, environmentIn] of [
      ['HOME', (home: string) => ({ env: { HOME: home }, args: [] })],
      [
        '--state',
        (home: string) => ({ env: {}, args: ['--state', `${home}/.local/state/hookbell`] }),
      ],
    ] as const) {
      test(`makes no home directory that does not exist, named by ${name} (A18)`, async () => {
        await using directory = await temporaryDirectory();
        const home = join(directory.path, 'missing');

        const run = await runHook(variant, '{"a":1}', environmentIn(home));

        assert.deepEqual({ ...noticeable(run), took: run.tookInput }, { ...unnoticed, took: true });
        assert.equal(existsSync(home), false);
      });
    }

    test('does not run a program that the project put on PATH', async () => {
      await using state = await temporaryDirectory();
      const bin = join(state.path, 'node_modules', '.bin');
      mkdirSync(bin, { recursive: true });
      for (const name of ['cat', 'timeout']) {
        writeFileSync(join(bin, name), '#!/bin/sh\necho planted\n', { mode: 0o755 });
      }

      await runHook(variant, '{"a":1}', {
        env: { HOOKBELL_STATE_DIR: state.path, PATH: `${bin}:${process.env['PATH']}` },
      });

      assert.equal(onlyFile(state.path).payload.toString(), '{"a":1}');
    });

    test('leaves a file without its last line when a size limit cuts it (fault 16)', async () => {
      await using state = await temporaryDirectory();

      const run = await runHook(variant, Buffer.alloc(300_000, 'x'), {
        env: { HOOKBELL_STATE_DIR: state.path },
        wrapper: ['sh', '-c', 'ulimit -f 8; exec "$@"', 'sh'],
      });

      assert.deepEqual(noticeable(run), unnoticed);
      assert.equal(run.tookInput, true);
      assert.equal(onlyFile(state.path).isWhole, false);
    });
  });
}

for (const variant of shellVariants) {
  const skip = variant.skip || needsPrivateMounts();
  describe(`the hook under ${variant.name}, on a poorer system`, { skip, timeout: 20_000 }, () => {
    test('reads its input without `timeout`', async () => {
      await using directory = await temporaryDirectory();

      const run = await runHook(variant, '{"a":1}', {
        env: { HOOKBELL_STATE_DIR: directory.path, DIRECTORY: directory.path },
        wrapper: withOnly('cat', 'mkdir', variant.command[0]),
      });

      assert.deepEqual(noticeable(run), unnoticed);
      assert.equal(onlyFile(directory.path).payload.toString(), '{"a":1}');
      assert.equal(onlyFile(directory.path).isWhole, true);
    });

    test('stays unnoticed without any program (fault 40)', async () => {
      await using directory = await temporaryDirectory();
      mkdirSync(join(directory.path, 'spool'));

      const run = await runHook(variant, '{"a":1}', {
        env: { HOOKBELL_STATE_DIR: directory.path, DIRECTORY: directory.path },
        wrapper: withOnly(variant.command[0]),
      });

      assert.deepEqual(noticeable(run), unnoticed);
      assert.equal(onlyFile(directory.path).isWhole, false);
    });

    test('names its file without /proc (T3)', async () => {
      await using directory = await temporaryDirectory();

      const run = await runHook(variant, '{"a":1}', {
        env: { HOOKBELL_STATE_DIR: directory.path },
        wrapper: inPrivateMounts('mount -t tmpfs tmpfs /proc; exec "$@"'),
      });

      assert.deepEqual(noticeable(run), unnoticed);
      assert.match(onlyFile(directory.path).name, /^[\da-f]{32}$/);
    });

    test('finds the home directory without HOME', async () => {
      await using directory = await temporaryDirectory();
      const passwd = join(directory.path, 'passwd');
      writeFileSync(passwd, `root:x:0:0:root:${directory.path}:/bin/sh\n`);

      const run = await runHook(variant, '{"a":1}', {
        env: { PASSWD: passwd },
        wrapper: inPrivateMounts('mount --bind "$PASSWD" /etc/passwd; exec "$@"'),
      });

      assert.deepEqual(noticeable(run), unnoticed);
      const state = join(directory.path, '.local', 'state', 'hookbell');
      assert.equal(onlyFile(state).isWhole, true);
    });
  });
}

test(
  'a user without a home directory gets no trouble',
  {
    skip: needsPrivateMounts(),
  },
  async () => {
    await using directory = await temporaryDirectory();
    const copy = join(directory.path, 'hookbell-hook');
    copyFileSync(shellHookPath, copy);
    // That user need not be allowed to read this project.
    chmodSync(directory.path, 0o755);

    for (const variant of shellVariants.filter(({ skip }) => skip === false)) {
      const command = [...variant.command.slice(0, -1), copy];
      const run = await runHook({ ...variant, command }, '{"a":1}', {
        wrapper: ['setpriv', '--reuid', '65534', '--clear-groups'],
      });

      assert.deepEqual({ ...noticeable(run), took: run.tookInput }, { ...unnoticed, took: true });
    }
  },
);

/** A script that runs the hook where /usr/bin has these programs only. */
function withOnly(...names: readonly (string | undefined)[]): readonly string[] {
  return inPrivateMounts(`
    mkdir "$DIRECTORY/bin"
    for name in ${names.join(' ')}; do cp "$(command -v "$name")" "$DIRECTORY/bin/"; done
    program=$DIRECTORY/bin/\${1##*/}; shift; set -- "$program" "$@"
    mount --bind "$DIRECTORY/bin" /usr/bin; exec "$@"`);
}
