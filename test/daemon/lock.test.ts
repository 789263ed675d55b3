import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { takeLock } from '../../src/daemon/lock.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('takeLock() is given to one at a time, and again after release (fault 10)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'lock');

  const first = await takeLock(path);
  const second = await takeLock(path);
  first?.release();
  const third = await takeLock(path);

  assert.ok(first);
  assert.equal(second, null);
  assert.ok(third);
  third.release();
});

test('takeLock() of a killed process is free immediately and never stale (fault 1)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'lock');
  const module = pathToFileURL(join(projectRoot, 'dist/src/daemon/lock.js')).href;
  const script = `const { takeLock } = await import(${JSON.stringify(module)});
    const lock = await takeLock(${JSON.stringify(path)});
    console.log(lock === null ? 'refused' : 'held');
    setInterval(() => lock, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const [said] = await once(holder.stdout, 'data');
  assert.equal(String(said).trim(), 'held');
  assert.equal(await takeLock(path), null);

  holder.kill('SIGKILL');
  await once(holder, 'exit');

  const lock = await takeLock(path);
  assert.ok(lock);
  lock.release();
});
