import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { z } from 'zod';

import { stateFile } from '../../src/platform/state-file.ts';

const schema = z.object({ count: z.number() });

async function temporary(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'state-file-'));
  t.after(() => rm(directory, { recursive: true }));
  return join(directory, 'state.json');
}

test('stateFile() gives back what was written, in a file of this user alone', async (t) => {
  const path = await temporary(t);
  stateFile(path, schema).write({ count: 7 });

  assert.deepEqual(stateFile(path, schema).read(), { count: 7 });
  if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test('stateFile() reads null without a file, and reports one that does not fit', async (t) => {
  const path = await temporary(t);
  let invalid = 0;
  const read = () => stateFile(path, schema).read(() => (invalid += 1));

  assert.equal(read(), null);
  assert.equal(invalid, 0);
  await writeFile(path, '{"count":"7"}');
  assert.equal(read(), null);
  assert.equal(invalid, 1);
  await writeFile(path, '{"count":');
  assert.equal(read(), null);
  assert.equal(invalid, 2);
});
