import assert from 'node:assert/strict';
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { writeAtomically } from '../../src/platform/replace-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('writeAtomically()', () => {
  test('keeps the mode and leaves no temporary file behind', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'settings.json');
    await writeFile(path, 'old');
    await chmod(path, 0o640);

    await writeAtomically(path, 'new');

    assert.equal((await stat(path)).mode & 0o777, 0o640);
    assert.deepEqual(await readdir(directory.path), ['settings.json']);
  });

  test('writes through a symbolic link and keeps the link', async () => {
    await using directory = await temporaryDirectory();
    const real = join(directory.path, 'dotfiles.json');
    const link = join(directory.path, 'settings.json');
    await writeFile(real, 'old');
    await symlink(real, link);

    await writeAtomically(link, 'new');

    assert.equal(await readFile(real, 'utf8'), 'new');
    assert.ok((await lstat(link)).isSymbolicLink());
  });
});
