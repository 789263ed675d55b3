import assert from 'node:assert/strict';
import { realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { originOfCopy } from '../../src/cli/origin-of-copy.ts';
import { ownProgram } from '../../src/platform/program-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('originOfCopy() finds the clone that runs, whether there is a copy of it, a link to it, or neither', async () => {
  await using directory = await temporaryDirectory();
  const [none, link, copy] = ['none', 'link', 'copy'].map((name) => join(directory.path, name));
  assert.ok(none !== undefined && link !== undefined && copy !== undefined);
  await symlink(ownProgram, link);
  await writeFile(copy, '');
  const origin = { type: 'checkout', folder: await realpath(ownProgram) };

  assert.deepEqual(await originOfCopy(none), origin);
  assert.deepEqual(await originOfCopy(link), origin);
  assert.deepEqual(await originOfCopy(copy), origin);
});
