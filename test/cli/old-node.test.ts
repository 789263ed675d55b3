import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';

import { isNewEnough, ownVersion, programFile } from '../../src/platform/program-files.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const OLD = '18.20.4';

/** An installed command, with a Node first in PATH that only says that it was run. */
async function installedCommand(nodePath: string | null) {
  const directory = await temporaryDirectory();
  const program = join(directory.path, 'program');
  const bin = join(directory.path, 'bin');
  for (const folder of [bin, join(program, 'hooks'), join(program, 'dist')]) {
    await mkdir(folder, { recursive: true });
  }
  await copyFile(programFile('command', projectRoot), programFile('command', program));
  await copyFile(join(projectRoot, 'package.json'), join(program, 'package.json'));
  await symlink(join(projectRoot, 'dist', 'program'), join(program, 'dist', 'program'));
  await symlink(programFile('command', program), join(bin, 'hookbell'));
  if (nodePath !== null) await writeFile(join(program, 'node-path'), `${nodePath}\n`);
  await writeFile(join(bin, 'node'), '#!/bin/sh\necho "the node of PATH"\n');
  await chmod(join(bin, 'node'), 0o755);
  return {
    run: (...words: readonly string[]) =>
      runProcess(join(bin, 'hookbell'), words, {
        env: { PATH: [bin, '/usr/bin', '/bin'].join(delimiter), HOME: directory.path },
      }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

describe('the installed command (B5)', () => {
  test('runs with the Node of the installation, whatever comes first in PATH', async () => {
    await using command = await installedCommand(process.execPath);

    const version = await command.run('--version');
    const help = await command.run('history', '--help');

    assert.deepEqual(version, { code: 0, stdout: `${ownVersion()}\n`, stderr: '' });
    assert.match(help.stdout, /^Usage: hookbell history/);
  });

  for (const [name, nodePath] of [
    ['that is gone', '/nowhere/bin/node'],
    ['that was never noted', null],
  ] as const) {
    test(`takes the Node of PATH for one ${name}`, async () => {
      await using command = await installedCommand(nodePath);

      const { stdout } = await command.run('status');

      assert.equal(stdout, 'the node of PATH\n');
    });
  }
});

test('every command says in one line that the Node is too old, and loads nothing (B5)', async () => {
  const pretend = `Object.defineProperty(process.versions,"node",{value:"${OLD}"})`;
  const words = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`];

  const { code, stdout, stderr } = await runProcess(
    process.execPath,
    [...words, programFile('commandLine', projectRoot), 'status'],
    { env: { HOME: '/nonexistent' } },
  );

  const [first = '', ...rest] = stderr.split('\n');
  assert.equal(first, `hookbell: Node.js ${OLD} is too old, version 20.19 or newer is needed`);
  assert.ok(rest.length <= 2, stderr);
  assert.deepEqual([code, stdout], [1, '']);
});

test('isNewEnough() compares versions by their numbers', () => {
  const versions = ['18.20.4', '20.9.0', '20.19.0', '20.20.1', '22.0.0', '9.99.0'];

  assert.deepEqual(versions.filter(isNewEnough), ['20.19.0', '20.20.1', '22.0.0']);
});
