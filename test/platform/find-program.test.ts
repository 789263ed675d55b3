import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram } from '../../src/platform/find-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('findProgram() answers the first executable file on PATH, by its absolute path (P14)', async () => {
  await using directory = await temporaryDirectory();
  const [first, second, third] = ['1', '2', '3'].map((name) => join(directory.path, name));
  for (const path of [first, second, third]) await mkdir(path ?? '');
  await mkdir(join(first ?? '', 'bell'));
  await writeFile(join(second ?? '', 'bell'), 'not executable', { mode: 0o600 });
  await writeFile(join(third ?? '', 'bell'), '', { mode: 0o700 });

  const found = await findProgram('bell', [first, second, third].join(':'));

  assert.equal(found, join(third ?? '', 'bell'));
});

test('findProgram() passes over relative and empty entries of PATH (P14)', async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, 'bell'), '', { mode: 0o700 });
  const before = process.cwd();
  process.chdir(directory.path);

  try {
    assert.equal(await findProgram('bell', '.::'), null);
  } finally {
    process.chdir(before);
  }
});

test('findProgram() checks an absolute path and looks nowhere else', async () => {
  assert.equal(await findProgram('/bin/sh', '/nonexistent'), '/bin/sh');
  assert.equal(await findProgram('/nonexistent/sh', '/bin'), null);
});
