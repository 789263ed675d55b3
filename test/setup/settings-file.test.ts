import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { readSettingsText } from '../../src/setup/settings-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('readSettingsText() tells apart a missing file, a directory, a broken link, and bytes that are not UTF-8', async () => {
  await using directory = await temporaryDirectory();
  const at = (name: string): string => join(directory.path, name);
  await writeFile(at('latin1'), Buffer.from([0x7b, 0xe4, 0x7d]));
  await writeFile(at('plain'), '{}');

  await symlink(at('nowhere'), at('dangling'));

  assert.equal((await readSettingsText(at('missing'))).state, 'missing');
  assert.equal((await readSettingsText(at('plain'))).state, 'ok');
  for (const name of ['latin1', '.', 'dangling']) {
    assert.equal((await readSettingsText(at(name))).state, 'unreadable', name);
  }
});
