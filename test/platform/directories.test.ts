import assert from 'node:assert/strict';
import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { ensurePrivateDirectory } from '../../src/platform/private-directory.ts';
import { needsOtherUser } from '../support/other-user.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('ensurePrivateDirectory() (T1, fault 51)', () => {
  // Node 20 never returns from `mkdir` with `recursive` there.
  test(
    'refuses a directory where nothing can be made',
    { skip: process.platform !== 'linux' && 'there is no /proc' },
    async () => {
      await assert.rejects(ensurePrivateDirectory('/proc/hookbell/state'), {
        name: 'ConfigError',
        message: 'Cannot use directory "/proc/hookbell/state": it cannot be created',
      });
    },
  );

  test('creates it with its parents, for the owner alone', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'a', 'b');

    await ensurePrivateDirectory(path);

    assert.equal((await stat(path)).mode & 0o777, 0o700);
  });

  test('tightens the rights of one of ours', async () => {
    await using directory = await temporaryDirectory();
    await chmod(directory.path, 0o755);

    await ensurePrivateDirectory(directory.path);

    assert.equal((await stat(directory.path)).mode & 0o777, 0o700);
  });

  test('refuses a symbolic link, a file and a directory of another user', async (t) => {
    await using directory = await temporaryDirectory();
    const at = (name: string): string => join(directory.path, name);
    await mkdir(at('real'));
    await symlink(at('real'), at('link'));
    await writeFile(at('file'), '');

    await assert.rejects(ensurePrivateDirectory(at('link')), /it is a symbolic link/);
    await assert.rejects(
      ensurePrivateDirectory(at('file')),
      /it (is not a directory|cannot be created)/,
    );
    if (process.geteuid?.() !== 0) {
      t.diagnostic('not root: a directory of another user was not tried');
      return;
    }
    await chown(at('real'), 65534, 65534);
    await assert.rejects(ensurePrivateDirectory(at('real')), /belongs to user 65534/);
  });

  test('refuses a world-writable parent without the sticky bit', async () => {
    await using directory = await temporaryDirectory();
    const open = join(directory.path, 'open');
    await mkdir(open);
    await chmod(open, 0o777);

    await assert.rejects(
      ensurePrivateDirectory(join(open, 'state')),
      /others may write to ".*open" \(mode 0777\)/,
    );
  });

  test(
    'refuses one anywhere below a directory of another user (D9)',
    {
      skip: needsOtherUser(),
    },
    async () => {
      await using directory = await temporaryDirectory();
      const theirs = join(directory.path, 'theirs');
      const state = join(theirs, 'deep', 'state');
      await mkdir(state, { recursive: true, mode: 0o700 });
      await chown(theirs, 65534, 65534);
      await symlink(join(theirs, 'deep'), join(directory.path, 'link'));

      for (const path of [state, join(directory.path, 'link', 'state')]) {
        await assert.rejects(ensurePrivateDirectory(path), /theirs" belongs to user 65534/);
      }
    },
  );
});
