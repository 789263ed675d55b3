import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findProgram } from '../../src/platform/find-program.ts';
import { runProgram } from '../../src/platform/run-program.ts';
import type { SecretSurroundings } from '../../src/config/secrets.ts';
import { resolveSecret } from '../../src/config/secrets.ts';
import { ConfigError } from '../../src/platform/errors.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SECRET = 'hunter2-very-secret';

function surroundings(fields: Partial<SecretSurroundings> = {}): SecretSurroundings {
  return {
    env: { PATH: process.env['PATH'] },
    baseDir: '/nonexistent',
    platform: 'linux',
    findProgram,
    runProgram,
    ...fields,
  };
}

/** Asserts that it is refused so, and that neither message nor hint gives the secret away. */
async function refused(answer: Promise<string>, message: RegExp | string): Promise<void> {
  await assert.rejects(answer, (error) => {
    assert.ok(error instanceof ConfigError);
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    assert.ok(!`${error.message}${error.hint}${String(error.stack)}`.includes(SECRET));
    return true;
  });
}

describe('resolveSecret()', () => {
  test('takes plain text as it is', async () => {
    assert.equal(await resolveSecret(SECRET, surroundings()), SECRET);
  });

  test('reads an environment variable, and says whether it is missing or empty', async () => {
    const env = { TOKEN: SECRET, EMPTY: '' };

    assert.equal(await resolveSecret({ env: 'TOKEN' }, surroundings({ env })), SECRET);
    await refused(
      resolveSecret({ env: 'TOKN' }, surroundings({ env })),
      'Cannot read the secret in environment variable "TOKN": it is not set',
    );
    await refused(
      resolveSecret({ env: 'EMPTY' }, surroundings({ env })),
      'Cannot read the secret in environment variable "EMPTY": it is empty',
    );
    await refused(resolveSecret({ env: 'constructor' }, surroundings({ env: {} })), /not set$/);
  });
});

describe('resolveSecret() from a file', () => {
  test('takes it without its last line break, from beside the configuration or from home', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'token');
    const options = surroundings({ baseDir: directory.path, env: { HOME: directory.path } });

    for (const end of ['', '\n', '\r\n']) {
      await writeFile(file, `${SECRET}${end}`, { mode: 0o600 });
      assert.equal(await resolveSecret({ file: 'token' }, options), SECRET);
    }
    assert.equal(await resolveSecret({ file: '~/token' }, options), SECRET);
    assert.equal(await resolveSecret({ file }, options), SECRET);

    await writeFile(file, `${SECRET}\n\nmore\n\n`);
    assert.equal(await resolveSecret({ file }, options), `${SECRET}\n\nmore\n`);
  });

  test('refuses one that others may read, and says how to mend it (T12)', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'token');
    await writeFile(file, SECRET);
    for (const mode of [0o640, 0o604, 0o620, 0o601]) {
      await chmod(file, mode);

      await assert.rejects(resolveSecret({ file }, surroundings()), {
        name: 'ConfigError',
        message: `Cannot read the secret in file "${file}": other users may access it (mode 0${mode.toString(8)}, expected 0600)`,
        hint: `Run: chmod 600 "${file}"`,
      });
    }

    await chmod(file, 0o644);
    assert.equal(await resolveSecret({ file }, surroundings({ platform: 'win32' })), SECRET);
    await chmod(file, 0o400);
    assert.equal(await resolveSecret({ file }, surroundings()), SECRET);
  });

  test('judges what a link leads to, not the link', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'token');
    const link = join(directory.path, 'link');
    await writeFile(file, SECRET, { mode: 0o600 });
    await symlink(file, link);

    assert.equal(await resolveSecret({ file: link }, surroundings()), SECRET);
    await chmod(file, 0o644);
    await refused(resolveSecret({ file: link }, surroundings()), /mode 0644/);
  });

  test(
    'refuses one of another user (T12)',
    { skip: process.geteuid?.() !== 0 && 'only root can give files away' },
    async () => {
      await using directory = await temporaryDirectory();
      const file = join(directory.path, 'token');
      await writeFile(file, SECRET, { mode: 0o600 });
      spawnSync('chown', ['12345', file]);

      await refused(resolveSecret({ file }, surroundings()), /belongs to user 12345, expected 0$/);
    },
  );

  test('refuses what is missing, empty, too large or no regular file', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'token');
    const read = (): Promise<string> => resolveSecret({ file }, surroundings());

    await refused(read(), `Cannot read the secret in file "${file}": it does not exist`);
    await writeFile(file, '\n', { mode: 0o600 });
    await refused(read(), /: it is empty$/);
    await writeFile(file, SECRET.repeat(4_000));
    await refused(read(), /: it is larger than 65536 bytes$/);
    await mkdir(join(directory.path, 'folder'), { mode: 0o700 });
    await refused(
      resolveSecret({ file: join(directory.path, 'folder') }, surroundings()),
      /: it is not a regular file$/,
    );
  });

  test('does not hang on a FIFO', { skip: needs('mkfifo') }, async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'fifo');
    spawnSync('mkfifo', ['-m', '600', file]);

    await refused(resolveSecret({ file }, surroundings()), /: it is not a regular file$/);
  });
});

describe('resolveSecret() from a command', () => {
  const node = process.execPath;

  test('takes the first line it prints', async () => {
    const script = `console.log('${SECRET}'); console.log('user: me')`;

    assert.equal(await resolveSecret({ command: [node, '-e', script] }, surroundings()), SECRET);
  });

  test('passes arguments as they are, without a shell, and the environment', async () => {
    const script = 'console.log(process.argv[1] + process.env.PART)';
    const argument = '$(id) `id` ; "x" *';
    const options = surroundings({
      env: { PATH: process.env['PATH'], PART: '!', NONE: undefined },
    });

    assert.equal(
      await resolveSecret({ command: [node, '-e', script, argument] }, options),
      `${argument}!`,
    );
  });

  test('finds the program on PATH', async () => {
    assert.equal(await resolveSecret({ command: ['echo', SECRET] }, surroundings()), SECRET);
  });

  test('says how it failed, without its arguments and its output (P13, T12)', async () => {
    const script = `console.log('${SECRET}'); console.error('${SECRET}'); process.exit(3)`;

    await refused(
      resolveSecret({ command: [node, '-e', script, SECRET] }, surroundings()),
      `Cannot read the secret from command "${node}": it exited with code 3`,
    );
    await refused(
      resolveSecret({ command: ['/nonexistent/pass', SECRET] }, surroundings()),
      'Cannot read the secret from command "/nonexistent/pass": it was not found',
    );
    await refused(
      resolveSecret({ command: [node, '-e', `console.log('\\n${SECRET}')`] }, surroundings()),
      /: it printed nothing on its first line$/,
    );
  });

  test('gives it 10 s', async () => {
    let timeoutMs = 0;
    const impatient: SecretSurroundings['runProgram'] = (call) => {
      ({ timeoutMs } = call);
      return Promise.resolve({ ok: false, stdout: SECRET, reason: 'did not end within 10 s' });
    };

    await refused(
      resolveSecret({ command: ['echo'] }, surroundings({ runProgram: impatient })),
      'Cannot read the secret from command "echo": it did not end within 10 s',
    );
    assert.equal(timeoutMs, 10_000);
  });
});
