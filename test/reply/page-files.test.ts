import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { removePageFiles, writePageFile } from '../../src/reply/pop-up-replies.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('writePageFile() keeps the address from others, and as an address', async () => {
  await using directory = await temporaryDirectory();

  const path = writePageFile(directory.path, 'http://127.0.0.1:1/"><script>x</script>');

  const page = readFileSync(path, 'utf8');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.ok(!page.includes('<script'));
  assert.match(page, /url=http:\/\/127\.0\.0\.1:1\/&quot;&gt;/);
});

test('removePageFiles() removes all of them and nothing else', async () => {
  await using directory = await temporaryDirectory();
  for (const name of ['token', 'reply-mine.html']) writeFileSync(join(directory.path, name), '');
  writePageFile(directory.path, 'http://127.0.0.1:1/');
  writePageFile(directory.path, 'http://127.0.0.1:1/');

  removePageFiles(directory.path);

  assert.deepEqual(readdirSync(directory.path).toSorted(), ['reply-mine.html', 'token']);
});
