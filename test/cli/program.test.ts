import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';

import { Command } from 'commander';

import { loadCommands } from '../../src/cli/commands/registry.ts';
import { commandLine } from '../support/command-line.ts';

const usageHelp = '  Run "hookbell --help" or "hookbell COMMAND --help" to see what is possible\n';

describe('the command line', () => {
  test('answers a word it does not know in its own voice, with code 2', async () => {
    await using cli = await commandLine();

    const command = await cli.run(['stauts']);
    const option = await cli.run(['status', '--nonsense']);

    assert.deepEqual(command, {
      code: 2,
      stdout: '',
      stderr: `hookbell: Unknown command "stauts"\n  Did you mean status?\n${usageHelp}`,
    });
    assert.deepEqual(option, {
      code: 2,
      stdout: '',
      stderr: `hookbell: Unknown option "--nonsense"\n${usageHelp}`,
    });
  });

  test('--help lists at most 30 commands in groups, and none of their old names (B18)', async () => {
    await using cli = await commandLine();

    const { stdout } = await cli.run(['--help']);

    const listed = stdout.slice(stdout.indexOf('Everyday commands:'), stdout.indexOf('\nRun '));
    const groups = [...listed.matchAll(/^(\w.*):$/gm)].map(([, group]) => group);
    const names = [...listed.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name ?? '');
    assert.deepEqual(groups, [
      'Everyday commands',
      'Setup',
      'Try it out',
      'Daemon',
      'Other machines',
      'Teams',
      'Agent service',
    ]);
    assert.ok(names.length <= 30, names.join(' '));
    for (const old of ['mutes', 'unmute', 'pair', 'listen', 'usage', 'api']) {
      assert.ok(!names.includes(old), old);
    }
  });

  test('without a word it prints its help and ends with 0 (B18)', async () => {
    await using cli = await commandLine();

    const alone = await cli.run([]);

    assert.deepEqual(alone, await cli.run(['--help']));
    assert.equal(alone.code, 0);
  });

  test('the help of no command shows an empty list as a default', async () => {
    const program = new Command('hookbell');
    for (const define of await loadCommands([])) define(program, () => () => Promise.resolve());
    const helps = (command: Command): readonly string[] => [
      command.helpInformation(),
      ...command.commands.flatMap(helps),
    ];

    const shown = helps(program);

    assert.ok(shown.length > 30);
    for (const help of shown) assert.doesNotMatch(help, /default: \[\]/);
  });

  test('--help ends with the exit codes and examples', async () => {
    await using cli = await commandLine();

    const { code, stdout, stderr } = await cli.run(['--help']);

    assert.match(stdout, /\nExit codes: 0 ok, .*\n.*\n\nExamples:\n  hookbell doctor /);
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('ends silently when its output is closed, as behind "| head"', async () => {
    await using cli = await commandLine();

    const child = cli.start(['--help']);
    child.stdout.destroy();
    const complaints = child.stderr.setEncoding('utf8').toArray();
    const [code] = await once(child, 'exit');

    assert.deepEqual([code, await complaints], [0, []]);
  });

  test('a disk error is not reported as a bug: the path, the reason and what to do', async () => {
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

    assert.deepEqual([code, stdout, stderr], [0, '', 'hookbell is not installed here\n']);
  });
});
