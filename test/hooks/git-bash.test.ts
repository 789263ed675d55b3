import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { hookCommandLine, PORTABLE_HOOK } from '../../src/setup/hook-places.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { inPrivateMounts, needsPrivateMounts } from '../support/private-mounts.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { onlyFile } from './read-spool.ts';
import { noticeable, runHook, shellHookPath, unnoticed } from './run-hook.ts';

const WINDOWS_NODE = String.raw`C:\Program Files\nodejs\node.exe`;
const HOSTILE = String.raw`{"a":"C:\\Söhne & %PATH% ^ ! $HOME \`id\` 'x' /c/ 👍"}`;
/** Runs the rest with the given "cygpath" in /usr/bin, seen by that process alone. */
const WITH_CYGPATH = `mount -t tmpfs t /mnt && mkdir /mnt/u /mnt/w && cp "$1" /mnt/u/cygpath &&
  mount -t overlay o -o lowerdir=/usr/bin,upperdir=/mnt/u,workdir=/mnt/w /usr/bin && shift && exec "$@"`;

/**
 * The installation in the folder for local programs, a `cygpath` that does what its manual says with them, and a Node that keeps
 * the words it gets and runs the hook for Windows.
 */
async function gitBash() {
  const directory = await temporaryDirectory();
  const local = join(directory.path, 'Söhne & Co', 'Local');
  const program = join(local, 'Programs', 'hookbell');
  await mkdir(join(program, 'hooks'), { recursive: true });
  await mkdir(join(program, 'dist', 'program'), { recursive: true });
  await copyFile(shellHookPath, join(program, 'hooks', 'hookbell-hook'));
  const hook = 'dist/program/hookbell-hook.cjs';
  await copyFile(join(projectRoot, hook), join(program, hook));
  await writeFile(join(program, 'node-path'), `${WINDOWS_NODE}\n`);
  const node = join(directory.path, 'node');
  const scripts = {
    node: `#!/bin/sh
printf '%s\\0' "$MSYS2_ARG_CONV_EXCL" "$@" >'${directory.path}/words'
hook=$(printf %s "\${1#C:}" | tr '\\\\' /)
shift
exec '${process.execPath}' "$hook" "$@"
`,
    cygpath: `#!/bin/sh
case "$1 $2" in
  '-F 28') printf '%s\\n' '${local}' ;;
  '-u ${WINDOWS_NODE}') printf '%s\\n' '${node}' ;;
  '-w '*) printf 'C:%s\\n' "$2" | tr / '\\\\' ;;
  *) exit 1 ;;
esac
`,
  };
  for (const [name, text] of Object.entries(scripts)) {
    await writeFile(join(directory.path, name), text);
    await chmod(join(directory.path, name), 0o755);
  }
  const state = join(directory.path, 'state');
  const wrapper = [...inPrivateMounts(WITH_CYGPATH), join(directory.path, 'cygpath')];
  return {
    state,
    node,
    script: join(program, 'hooks', 'hookbell-hook'),
    hook: `C:${join(program, hook)}`.replaceAll('/', '\\'),
    run: (command: readonly string[], input: string) =>
      runHook({ name: '', command, skip: false }, input, {
        wrapper,
        env: { HOOKBELL_STATE_DIR: state },
      }),
    words: async () =>
      (await readFile(join(directory.path, 'words'), 'utf8')).split('\0').slice(0, -1),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

// A bash whose input is a socket, as here, would read the person's settings.
for (const [shell, ...options] of [['dash'], ['bash', '--norc']] as const) {
  const skip = needs(shell) || needsPrivateMounts();
  describe(`a hook for every system in a Git Bash whose sh is ${shell}`, { skip }, () => {
    test('hands events over by the hook for Windows, with the words unchanged', async () => {
      await using place = await gitBash();
      const line = hookCommandLine(PORTABLE_HOOK, ['--agent', 'claude']);

      const run = await place.run([shell, ...options, '-c', line], HOSTILE);

      assert.deepEqual(noticeable(run), unnoticed);
      const { payload, facts, isWhole } = onlyFile(place.state);
      assert.deepEqual([payload.toString(), facts['agent'], isWhole], [HOSTILE, 'claude', true]);
      assert.deepEqual(await place.words(), ['*', place.hook, '--agent', 'claude']);
    });

    test('passes a payload on that is an argument', async () => {
      await using place = await gitBash();
      const line = hookCommandLine(PORTABLE_HOOK, [HOSTILE]);

      const run = await place.run([shell, ...options, '-c', line], '');

      assert.deepEqual(noticeable(run), unnoticed);
      assert.equal(onlyFile(place.state).payload.toString(), HOSTILE);
      assert.deepEqual(await place.words(), ['*', place.hook, HOSTILE]);
    });

    test('is silent if the shell does not know every signal', async () => {
      await using place = await gitBash();
      const text = await readFile(place.script, 'utf8');
      await writeFile(place.script, text.replace(' XFSZ\n', ' OF_ANOTHER_SYSTEM\n'));

      const line = hookCommandLine(PORTABLE_HOOK, []);
      const run = await place.run([shell, ...options, '-c', line], HOSTILE);

      assert.notEqual(await readFile(place.script, 'utf8'), text);
      assert.deepEqual(noticeable(run), unnoticed);
      assert.equal(onlyFile(place.state).payload.toString(), HOSTILE);
    });

    test('is silent where that Node is gone', async () => {
      await using place = await gitBash();
      await rm(place.node);

      const run = await place.run(
        [shell, ...options, '-c', hookCommandLine(PORTABLE_HOOK, [])],
        HOSTILE,
      );

      assert.deepEqual(noticeable(run), unnoticed);
    });
  });
}
