import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';

const dryRun = ['install', '--dry-run', '--no-service'];

describe('hookbell install', () => {
  test('plans for the agents that are named, and for no others', async () => {
    await using cli = await commandLine();

    const { code, stdout } = await cli.run([...dryRun, '--agent', 'codex', '--agent', 'cursor']);

    assert.equal(code, 0);
    const lines = stdout.split('\n').filter((line) => /^\S hooks /.test(line));
    assert.deepEqual(
      lines.map((line) => line.replace(cli.home, '~').replace(/^. hooks +/, '')),
      ['codex: ~/.codex/hooks.json', 'codex: ~/.codex/config.toml', 'cursor: ~/.cursor/hooks.json'],
    );
    assert.match(stdout, /type "\/hooks" and trust them/);
  });

  test('plans for every agent with --all, and without it for those that are there', async () => {
    await using cli = await commandLine();
    await mkdir(join(cli.home, '.gemini'));

    const all = await cli.run([...dryRun, '--all']);
    const found = await cli.run(dryRun, { env: { PATH: '/usr/bin:/bin' } });

    assert.equal(all.stdout.match(/^\+ hooks /gm)?.length, 9);
    assert.match(found.stdout, /^\+ hooks +gemini: /m);
    assert.match(found.stdout, /^- hooks +not found on this machine: .*cursor/m);
  });

  test('says what to add by hand where another program has the notify of Codex, and goes on', async () => {
    await using cli = await commandLine();
    await mkdir(join(cli.home, '.codex'));
    await writeFile(join(cli.home, '.codex/config.toml'), 'notify = ["mine"]\n');

    const { code, stdout } = await cli.run([...dryRun, '--agent', 'codex']);

    assert.equal(code, 0);
    assert.match(stdout, /^- hooks +codex: .*config\.toml is left alone: "notify" is taken/m);
    assert.match(
      stdout,
      /add by hand: .*notify = \[".*hookbell-hook", "--state", "[^"]+", "--agent", "codex"\]/,
    );
  });

  for (const [words, said] of [
    [['--all', '--agent', 'codex'], /exclude each other/],
    [['--agent', 'emacs'], /droid, claude, codex, gemini, qwen, cursor, copilot, opencode/],
  ] as const) {
    test(`refuses ${words.join(' ')}`, async () => {
      await using cli = await commandLine();

      const { code, stderr } = await cli.run([...dryRun, ...words]);

      assert.equal(code, 2);
      assert.match(stderr, said);
    });
  }
});
