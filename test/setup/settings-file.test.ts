import assert from 'node:assert/strict';
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { formatJson, readSettings, writeAtomically } from '../../src/setup/settings-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('readSettings() and formatJson()', () => {
  for (const [name, text] of [
    ['two blanks', '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['tabs, no final line end', '{\n\t"a": [\n\t\t1\n\t]\n}'],
    ['CRLF', '{\r\n    "a": 1\r\n}\r\n'],
  ] as const) {
    test(`a file with ${name} is written back as it was`, async () => {
      await using directory = await temporaryDirectory();
      const path = join(directory.path, 'settings.json');
      await writeFile(path, text);

      const file = await readSettings(path);

      assert.ok(file.state === 'ok');
      assert.equal(formatJson(file.document, file.style), text);
    });
  }

  test('a missing, an empty and a broken file are told apart', async () => {
    await using directory = await temporaryDirectory();
    const at = (name: string): string => join(directory.path, name);
    await writeFile(at('empty'), ' \n');
    await writeFile(at('broken'), '{"a": 1,}');
    await writeFile(at('array'), '[]');

    assert.equal((await readSettings(at('missing'))).state, 'missing');
    assert.equal((await readSettings(at('empty'))).state, 'ok');
    for (const name of ['broken', 'array', '.']) {
      assert.equal((await readSettings(at(name))).state, 'unreadable', name);
    }
  });
});

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
