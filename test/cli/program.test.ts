import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';

import { commandLine } from '../support/command-line.ts';

describe('the command line', () => {
  test('answers a word it does not know in its own voice, with code 2', async () => {
    await using cli = await commandLine();

    const command = await cli.run(['stauts']);
    const option = await cli.run(['status', '--nonsense']);

    assert.deepEqual(command, {
      code: 2,
      stdout: '',
      stderr: 'hookbell: Unknown command "stauts"\n  Did you mean status?\n',
    });
    assert.deepEqual(option, {
      code: 2,
      stdout: '',
      stderr: 'hookbell: Unknown option "--nonsense"\n',
    });
  });

  test('--help ends with the exit codes and examples', async () => {
    await using cli = await commandLine();

    const { code, stdout, stderr } = await cli.run(['--help']);

    assert.match(stdout, /\nExit codes: 0 ok, .*\n.*\n\nExamples:\n  hookbell doctor /);
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('ends without a word when nobody reads on, as behind "| head"', async () => {
    await using cli = await commandLine();

    const child = cli.start(['--help']);
    child.stdout.destroy();
    const complaints = child.stderr.setEncoding('utf8').toArray();
    const [code] = await once(child, 'exit');

    assert.deepEqual([code, await complaints], [0, []]);
  });

  test('a disk in the way is no bug: the path, the reason and what to do', async () => {
    await using cli = await commandLine();
    const blocked = await cli.write('.local', 'a file');

    const { code, stdout, stderr } = await cli.run(['install', '--no-service']);

    assert.equal(
      stderr,
      `hookbell: Cannot use "${blocked}/share": a part of the path is a file\n` +
        '  Move that file away, then try again\n',
    );
    assert.deepEqual([code, stdout], [1, '']);
  });

  test('uninstall says so where nothing is installed', async () => {
    await using cli = await commandLine();

    const { code, stdout, stderr } = await cli.run(['uninstall']);

    assert.deepEqual([code, stdout, stderr], [0, '', 'Nothing of hookbell is installed here\n']);
  });
});
