import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { identityOf, isAlive, readPidFile } from '../../hooks/pid-file.ts';
import { writePidFile } from '../../src/daemon/lock.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { startZombie } from '../support/zombie.ts';

const noProc = { proc: '/nonexistent' };
const onLinux = process.platform === 'linux' ? false : 'needs /proc';

test('writePidFile() names this process, readable only by its user', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'daemon.pid');

  writePidFile(path);

  const identity = readPidFile(path);
  assert.deepEqual(identity, identityOf(process.pid));
  assert.equal(identity !== null && isAlive(identity), true);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('writePidFile() replaces a planted link instead of following it (fault 51)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'daemon.pid');
  const target = join(directory.path, 'target');
  writeFileSync(target, 'untouched');
  symlinkSync(target, path);

  writePidFile(path);

  assert.equal(readFileSync(target, 'utf8'), 'untouched');
  assert.equal(readPidFile(path)?.pid, process.pid);
  assert.deepEqual(readdirSync(directory.path).toSorted(), ['daemon.pid', 'target']);
});

test('writePidFile() leaves nothing behind when it cannot write', async () => {
  await using directory = await temporaryDirectory();

  assert.throws(() => writePidFile(join(directory.path, 'missing', 'daemon.pid')), /ENOENT/);

  assert.deepEqual(readdirSync(directory.path), []);
});

test('readPidFile() says null for anything else', { skip: needs('mkfifo') }, async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'daemon.pid');

  assert.equal(readPidFile(path), null);
  for (const text of ['', '\n', '12', '12 boot', '0 boot 1', '-1 boot 1', 'x boot 1', '1 b 1 x']) {
    writeFileSync(path, text);
    assert.equal(readPidFile(path), null, text);
  }
  spawnSync('mkfifo', [`${path}.fifo`]);
  assert.equal(readPidFile(`${path}.fifo`), null);
});

test('isAlive() is not fooled by a number that is used again (fault 10)', { skip: onLinux }, () => {
  const here = identityOf(process.pid);

  assert.equal(isAlive(here), true);
  assert.equal(isAlive({ ...here, boot: '00000000-0000-4000-8000-000000000000' }), false);
  assert.equal(isAlive({ ...here, start: '1' }), false);
  assert.equal(isAlive({ ...here, pid: 4_194_305 }), false);
});

test('isAlive() takes a zombie for dead', { skip: onLinux }, async () => {
  await using zombie = await startZombie();

  assert.equal(isAlive(identityOf(zombie.pid)), false);
});

test('without /proc the start comes from ps, so that a number that is used again is not mistaken for it (G24)', () => {
  const here = identityOf(process.pid, noProc);

  assert.match(here.start, /^[A-Z][a-z]{2}_[A-Z][a-z]{2}_\d{1,2}_\d\d:\d\d:\d\d_\d{4}$/);
  assert.equal(isAlive(here, noProc), true);
  assert.equal(isAlive({ ...here, start: 'Thu_Jan_1_00:00:00_1970' }, noProc), false);
  assert.equal(isAlive({ ...here, pid: 4_194_305 }, noProc), false);
  assert.equal(isAlive({ ...here, start: '-' }, noProc), true);
});
