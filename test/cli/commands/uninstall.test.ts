import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { programFile } from '../../../src/platform/program-files.ts';
import { type CommandLine, commandLine } from '../../support/command-line.ts';
import { needs } from '../../support/system-part.ts';
import { keys, typedCommand } from '../../support/typed-command.ts';

/** As if the hooks of Gemini CLI were installed: its settings did not exist before. */
async function withHooks(cli: CommandLine): Promise<string> {
  const text = '{}\n';
  const path = await cli.write('.gemini/settings.json', text);
  const hash = createHash('sha256').update(text).digest('hex');
  const settings = [{ path, shape: 'wrapped', agent: 'gemini', backup: null, hash }];
  const manifest = { version: 1, directories: [], files: [], secrets: [], settings };
  await cli.write('s/install.json', JSON.stringify(manifest));
  return path;
}

describe('hookbell uninstall', () => {
  test('of what is not installed changes nothing, and says so', async () => {
    await using cli = await commandLine();

    const { code, stdout, stderr } = await cli.run(['uninstall', '--yes']);
    const json = await cli.run(['uninstall', '--json']);

    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /^hookbell is not installed here\n/);
    assert.deepEqual(JSON.parse(json.stdout), { dryRun: false, steps: [] });
    assert.equal(json.stderr, '');
  });

  test('--dry-run lists what would be removed and kept, and touches nothing', async () => {
    await using cli = await commandLine();
    const settings = await withHooks(cli);
    await cli.write('.config/hookbell/config.yaml', 'channels: { desktop: { type: desktop } }\n');
    await cli.write('s/hookbell.db', '');

    await cli.write('.config/hookbell/relay-token', 'hunter2\n');

    const kept = await cli.run(['uninstall', '--dry-run']);
    const purged = await cli.run(['uninstall', '--dry-run', '--purge']);

    assert.equal(kept.code, 0, kept.stderr);
    assert.match(kept.stdout, /^This is what would be done:\n/);
    assert.ok(kept.stdout.includes(`\nhooks        gemini: ${settings}`), kept.stdout);
    assert.match(kept.stdout, /^kept +.*config\.yaml/m);
    assert.match(kept.stderr, /To also remove what is kept, run "hookbell uninstall --purge"\n$/);
    assert.match(kept.stdout, /^kept +.*relay-token: a secret/m);
    assert.match(purged.stdout, /^would remove .*config\.yaml/m);
    assert.match(purged.stdout, /^would remove .*relay-token/m);
    assert.doesNotMatch(purged.stdout, /^kept/m);
    assert.equal(purged.stderr, '');
    assert.equal(await readFile(settings, 'utf8'), '{}\n');
  });

  test('--agent removes the hooks of this agent alone, once', async () => {
    await using cli = await commandLine();
    const settings = await withHooks(cli);

    const planned = await cli.run(['uninstall', '--agent', 'gemini', '--dry-run', '--json']);
    const there = await readFile(settings, 'utf8');
    const done = await cli.run(['uninstall', '--agent', 'gemini']);
    const again = await cli.run(['uninstall', '--agent', 'gemini']);

    const text = `gemini: ${settings}: would be removed`;
    assert.deepEqual(JSON.parse(planned.stdout), {
      dryRun: true,
      steps: [{ name: 'hooks', text }],
    });
    assert.equal(there, '{}\n');
    assert.equal(done.stdout, `hooks    gemini: ${settings}: restored\n`);
    await assert.rejects(stat(settings), { code: 'ENOENT' });
    assert.equal(again.code, 6);
    assert.match(
      again.stderr,
      /No hooks are registered with gemini\n {2}Run "hookbell doctor --all"/,
    );
  });

  test('names the command that removes the rest from where the program came', async () => {
    await using cli = await commandLine();
    await cli.write('.config/hookbell/config.yaml', 'channels: { desktop: { type: desktop } }\n');
    await withHooks(cli);

    const { code, stdout, stderr } = await cli.run(['uninstall']);

    assert.equal(code, 0, stderr);
    assert.match(stdout, /^kept +.*config\.yaml/m);
    assert.match(stderr, /To also remove what is kept, run ".* --purge"/);
    assert.ok((await stat(join(cli.home, '.config/hookbell/config.yaml'))).isFile());
  });

  test('--purge without a terminal removes nothing unless --yes is given', async () => {
    await using cli = await commandLine();
    const config = await cli.write('.config/hookbell/config.yaml', 'channels: {}\n');

    const refused = await cli.run(['uninstall', '--purge'], { input: 'y\n' });
    const kept = await readFile(config, 'utf8');
    const done = await cli.run(['uninstall', '--purge', '--yes']);

    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /standard input is not a terminal\n {2}Add "--yes"/);
    assert.equal(kept, 'channels: {}\n');
    assert.equal(done.code, 0, done.stderr);
    await assert.rejects(stat(config), { code: 'ENOENT' });
  });

  test('--purge asks at a terminal', { skip: needs('script', 'stty') }, async () => {
    await using cli = await commandLine();
    const config = await cli.write('.config/hookbell/config.yaml', 'channels: {}\n');
    const purge = async (typed: string) => {
      const line = `exec '${process.execPath}' '${programFile('commandLine')}' uninstall --purge`;
      await using command = typedCommand(line, cli.env);
      await command.shown('This cannot be undone.');
      await command.shown('No');
      command.type(typed);
      return await command.ended();
    };

    const declined = await purge(keys.enter);
    const kept = await readFile(config, 'utf8');
    const confirmed = await purge('y');

    assert.equal(declined.code, 1);
    assert.match(declined.screen, /Not confirmed\r?\n {2}Nothing was changed/);
    assert.equal(kept, 'channels: {}\n');
    assert.equal(confirmed.code, 0, confirmed.screen);
    await assert.rejects(stat(config), { code: 'ENOENT' });
  });

  test('refuses --purge for one agent', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['uninstall', '--agent', 'gemini', '--purge']);

    assert.equal(code, 2);
    assert.match(stderr, /"--purge" cannot be used with option "--agent <name>"/);
  });
});
