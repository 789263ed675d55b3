import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { dialects } from '../../../src/agents/registry.ts';
import { commandLine } from '../../support/command-line.ts';

const dryRun = ['install', '--dry-run', '--no-service'];

/** Each way in which an agent reports events. */
const registrations = Object.values(dialects).flatMap(({ registrations: ways }) => ways);

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

    assert.equal(all.stdout.match(/^\+ hooks /gm)?.length, registrations.length);
    assert.match(found.stdout, /^\+ hooks +gemini: /m);
    assert.match(found.stdout, /^- hooks +not found on this machine: \d+ other agents/m);
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
    [['--agent', 'emacs'], /droid, claude, codex, gemini, qwen, copilot, opencode/],
    [['--answers', '--scope', 'project'], /"--answers" changes the settings of a user/],
    [['--refresh', '--all'], /"--refresh" takes the agents and the settings that are registered/],
    [['--refresh', '--agent', 'codex'], /"--refresh" takes the agents and the settings/],
    [['--refresh', '--scope', 'project'], /"--refresh" takes the agents and the settings/],
    [['--words'], /"--words" needs "--answers"/],
    [['--no-words'], /"--no-words" needs "--answers"/],
    [['--scope', 'machine'], /The scope is "machine", expected "user" or "project"/],
  ] as const) {
    test(`refuses ${words.join(' ')}`, async () => {
      await using cli = await commandLine();

      const { code, stderr } = await cli.run([...dryRun, ...words]);

      assert.equal(code, 2);
      assert.match(stderr, said);
    });
  }

  test('plans for the settings of a project with --scope project', async () => {
    await using cli = await commandLine();

    const { code, stdout } = await cli.run([
      ...dryRun,
      '--agent',
      'claude',
      '--scope',
      'project',
      '--json',
    ]);

    assert.equal(code, 0);
    const { dryRun: isDry, steps } = JSON.parse(stdout);
    assert.equal(isDry, true);
    const texts = steps.map(({ text }: { readonly text: string }) => text);
    assert.ok(
      texts.some((text: string) =>
        text.startsWith(`claude: ${join(cli.home, '.claude/settings')}`),
      ),
      stdout,
    );
  });

  test('plans no hooks with --no-hooks, and says whether a test notification would be sent', async () => {
    await using cli = await commandLine();
    await mkdir(join(cli.home, '.gemini'));

    const first = await cli.run([...dryRun, '--no-hooks']);
    const settings: readonly object[] = [];
    const manifest = { version: 1, directories: [], files: [], secrets: [], settings };
    await cli.write('s/install.json', JSON.stringify(manifest));
    const next = await cli.run([...dryRun, '--no-hooks']);

    assert.doesNotMatch(first.stdout, /gemini/);
    assert.match(first.stdout, /daemon +would run and send a test notification$/m);
    assert.match(next.stdout, /daemon +would run$/m);
  });

  test('plans with --refresh for the agents that are registered, and for no others', async () => {
    await using cli = await commandLine();
    await mkdir(join(cli.home, '.gemini'));
    const path = await cli.write('.gemini/settings.json', '{}\n');
    const settings = [{ path, shape: 'wrapped', agent: 'gemini', backup: null, hash: 'x' }];
    const manifest = { version: 1, directories: [], files: [], secrets: [], settings };
    await cli.write('s/install.json', JSON.stringify(manifest));
    await mkdir(join(cli.home, '.qwen'));

    const { code, stdout } = await cli.run(['install', '--refresh', '--dry-run']);

    assert.equal(code, 0);
    assert.match(stdout, /^\S hooks +gemini: /m);
    assert.doesNotMatch(stdout, /qwen: /);
    assert.match(stdout, /^- service +none; the hook starts the daemon/m);
  });
});
