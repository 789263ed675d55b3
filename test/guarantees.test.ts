import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { projectRoot } from './support/hookbell-home.ts';

test('docs/guarantees.md names tests that there are', async () => {
  const page = await readFile(join(projectRoot, 'docs/guarantees.md'), 'utf8');

  const named = [...page.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, path = '']) => path);

  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(projectRoot, 'test', path))),
    [],
  );
});

test('docs/guarantees.md has one row for each promise', async () => {
  const page = await readFile(join(projectRoot, 'docs/guarantees.md'), 'utf8');

  const beginnings = page.split('\n').flatMap((line) => {
    const [, promise = '', tests = ''] = line.split('|').map((cell) => cell.trim());
    return tests.includes('.test.ts') ? [promise.split(' ').slice(0, 4).join(' ')] : [];
  });

  assert.ok(beginnings.length > 30);
  assert.deepEqual(
    beginnings.filter((words, index) => beginnings.indexOf(words) !== index),
    [],
  );
});
