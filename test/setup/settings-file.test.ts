import assert from 'node:assert/strict';
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import {
  formatJson,
  parseSettings,
  readSettingsText,
  writeAtomically,
} from '../../src/setup/settings-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('parseSettings() and formatJson()', () => {
  for (const [name, text] of [
    ['two blanks', '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['tabs, no final line end', '{\n\t"a": [\n\t\t1\n\t]\n}'],
    ['CRLF', '{\r\n    "a": 1\r\n}\r\n'],
  ] as const) {
    test(`a file with ${name} is written back as it was`, () => {
      const parsed = parseSettings(text);

      assert.ok(parsed.ok);
      assert.equal(formatJson(parsed.document, parsed.style), text);
    });
  }

  test('an empty file has no settings, a broken one and an array are refused', () => {
    assert.equal(parseSettings(' \n').ok, true);
    assert.equal(parseSettings('{"a": 1,}').ok, false);
    assert.equal(parseSettings('[]').ok, false);
  });
});

test('readSettingsText() tells apart a missing file, a directory, and bytes that are no UTF-8', async () => {
  await using directory = await temporaryDirectory();
  const at = (name: string): string => join(directory.path, name);
  await writeFile(at('latin1'), Buffer.from([0x7b, 0xe4, 0x7d]));
  await writeFile(at('plain'), '{}');

  assert.equal((await readSettingsText(at('missing'))).state, 'missing');
  assert.equal((await readSettingsText(at('plain'))).state, 'ok');
  for (const name of ['latin1', '.']) {
    assert.equal((await readSettingsText(at(name))).state, 'unreadable', name);
  }
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
