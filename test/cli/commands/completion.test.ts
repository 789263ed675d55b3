import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { programFile } from '../../../src/platform/program-files.ts';
import type { CommandLine } from '../../support/command-line.ts';
import { commandLine } from '../../support/command-line.ts';
import { runProcess } from '../../support/run-process.ts';
import { sampleSessionView } from '../../support/sample-views.ts';
import { needs } from '../../support/system-part.ts';

const sessionId = '0b5b3d7e-9f6e-4c0f-8a53-6f7f2f0e1a2b';

/** A command line whose daemon knows one session, with `hookbell` on its search path. */
async function placeWithSession(): Promise<CommandLine & { readonly searchPath: string }> {
  const cli = await commandLine();
  await cli.serve({
    'GET /v1/sessions': () =>
      Promise.resolve([sampleSessionView({ sessionId, title: 'Fix: the "build"' })]),
  });
  const directory = join(cli.home, 'bin');
  await mkdir(directory);
  const command = join(directory, 'hookbell');
  await writeFile(
    command,
    `#!/bin/sh\nexec '${process.execPath}' '${programFile('commandLine')}' "$@"\n`,
  );
  await chmod(command, 0o755);
  return { ...cli, searchPath: `${directory}:${process.env['PATH'] ?? ''}` };
}

/** Sources the script as people do, and answers what the shell said then. */
async function inShell(shell: readonly string[], rest: string): Promise<string> {
  await using place = await placeWithSession();
  const [program = '', ...words] = shell;
  const { code, stdout, stderr } = await runProcess(program, [...words, '-c', rest], {
    cwd: place.home,
    env: {
      HOME: place.home,
      HOOKBELL_STATE_DIR: place.paths.state,
      PATH: place.searchPath,
      TERM: 'dumb',
    },
  });
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}

describe('hookbell complete', () => {
  test('proposes words, and what the daemon and the configuration know, with what they are', async () => {
    await using cli = await placeWithSession();
    await cli.write(
      '.config/hookbell/config.yaml',
      'channels: { team: { type: file, path: /tmp/x } }',
    );

    const sessions = await cli.run(['complete', '--', 'ack', '']);
    const channels = await cli.run(['complete', '--last=', '--', 'test']);
    const files = await cli.run(['complete', '--', 'route', 'replay', '']);
    const options = await cli.run(['complete', '--', 'remote', 'pair', '--']);

    assert.equal(sessions.stdout, `${sessionId}\tclaude · shop · waiting · Fix: the "build"\n`);
    assert.match(channels.stdout, /^team$/m);
    assert.equal(files.stdout, ':files\n');
    assert.match(options.stdout, /^--certificate\t/m);
  });

  test('proposes nothing and prints no error if no daemon answers', async () => {
    await using cli = await commandLine();

    assert.deepEqual(await cli.run(['complete', '--', 'ack', '']), {
      code: 0,
      stdout: '',
      stderr: '',
    });
  });
});

describe('hookbell completion', () => {
  test('refuses a shell it does not know, and names those it does', async () => {
    await using cli = await commandLine();
    const { code, stderr } = await cli.run(['completion', 'tcsh']);

    assert.equal(code, 2);
    assert.match(stderr, /Unknown shell "tcsh", expected one of bash, zsh, fish, powershell/);
  });

  test('completes in bash', async () => {
    const said = await inShell(
      ['bash', '--norc'],
      `eval "$(hookbell completion bash)"
      try() { COMP_WORDS=(hookbell "$@"); COMP_CWORD=$#; _hookbell; echo "$*: \${COMPREPLY[*]}"; }
      try mut; try ack ""; try mute --kind = needs.p; complete -p hookbell`,
    );

    assert.deepEqual(said.trim().split('\n'), [
      'mut: mute',
      `ack : ${sessionId}`,
      'mute --kind = needs.p: needs.permission',
      'complete -o default -F _hookbell hookbell',
    ]);
  });

  test(
    'has nothing for bash that shellcheck would warn of',
    { skip: needs('shellcheck') },
    async () => {
      const { code, stdout } = await runProcess('shellcheck', ['config/completion/hookbell.bash'], {
        env: { PATH: process.env['PATH'] ?? '' },
      });

      assert.deepEqual([code, stdout], [0, '']);
    },
  );

  test('completes in zsh', { skip: needs('zsh') }, async () => {
    const said = await inShell(
      ['zsh', '-f'],
      `autoload -Uz compinit; compinit -u -D
      eval "$(hookbell completion zsh)"; print -r -- $_comps[hookbell]
      _describe() { print -rl -- \${(P)3} }; _files() { print files $@ }
      try() { words=(hookbell "$@"); CURRENT=$#words; _hookbell }
      try ack ""; try queue re; try route replay ""; try project trust ""`,
    );

    assert.deepEqual(said.trim().split('\n'), [
      '_hookbell',
      `${sessionId}:claude · shop · waiting · Fix: the "build"`,
      'retry:send again deliveries that were given up or dropped',
      'files',
      'files -/',
    ]);
  });

  test('completes in fish', { skip: needs('fish') }, async () => {
    const said = await inShell(
      ['fish', '--no-config'],
      `hookbell completion fish | source
      complete -C 'hookbell ack '; complete -C 'hookbell mute --kind=needs.p'
      complete -C 'hookbell queue re'`,
    );

    assert.deepEqual(said.trim().split('\n'), [
      `${sessionId}\tclaude · shop · waiting · Fix: the "build"`,
      '--kind=needs.permission',
      'retry\tsend again deliveries that were given up or dropped',
    ]);
  });
});

describe('hookbell man', () => {
  test(
    'is a page without a mistake, and has every command and option',
    { skip: needs('mandoc') },
    async () => {
      await using cli = await commandLine();
      const { stdout: page } = await cli.run(['man']);
      const env = { PATH: process.env['PATH'] ?? '' };

      const lint = await runProcess('mandoc', ['-Tlint', '-Wwarning'], { input: page, env });
      const shown = await runProcess('mandoc', ['-Tascii', '-Owidth=200'], { input: page, env });

      // The page has no date, so that the same program always prints the same.
      const found = lint.stdout
        .split('\n')
        .filter((line) => line !== '' && !line.includes('missing date'));
      assert.deepEqual(found, []);
      // Bold is a letter printed twice, with a backspace between.
      const plain = shown.stdout
        .split('\b')
        .map((part, index, all) => (index + 1 < all.length ? part.slice(0, -1) : part))
        .join('');
      for (const words of [
        'hookbell queue retry [id...]',
        '--set-json <key=json>',
        'over budget',
      ]) {
        assert.ok(plain.includes(words), words);
      }
    },
  );
});
