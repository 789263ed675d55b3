import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { openLog } from '../../src/daemon/daemon-log.ts';
import { fillDisk, mountSmall, needsMount } from '../support/small-file-system.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('openLog() writes one line an entry, even for text that looks like an entry (T13, fault 56)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'daemon.log');
  const log = openLog({ path });

  log.info({ reason: 'x\n{"level":"info","msg":"forged"}\u001b[2J' }, 'Sent');
  log.close();

  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  assert.equal(lines.length, 1);
  assert.ok(!lines.join('').includes('\u001b'));
});

test('openLog() keeps secrets out of fields and of errors with a cause (T12)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'daemon.log');
  const log = openLog({ path });
  const secret = ['https://hooks.slack.com', 'services', 'T000', 'B000', 'abcdefgh'].join('/');

  log.error({ err: new Error(`failed: ${secret}`), url: secret }, 'Cannot send');
  log.close();

  const text = await readFile(path, 'utf8');
  assert.ok(!text.includes('abcdefgh'));
  assert.ok(text.includes('[redacted:slack-webhook]'));
});

test('openLog() makes the file readable by its owner alone', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'daemon.log');
  const log = openLog({ path });

  log.info({}, 'Here');
  log.close();

  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test('close() lets what is logged later go nowhere, and throws nothing', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'daemon.log');
  const log = openLog({ path });

  log.close();
  log.error({}, 'Too late');

  assert.equal(await readFile(path, 'utf8'), '');
});

test(
  'openLog() on a full disk loses lines and nothing else, and writes again when there is room (fault 12)',
  { skip: needsMount() },
  async () => {
    await using directory = await temporaryDirectory();
    await using disk = await mountSmall(directory.path, 1);
    const path = join(disk.path, 'daemon.log');
    const log = openLog({ path });
    const filling = join(disk.path, 'filling');
    await fillDisk(filling);

    for (let line = 0; line < 1_000; line += 1) log.error({ text: 'x'.repeat(1_000) }, 'Full');
    await rm(filling);
    log.info({}, 'Room again');
    log.close();

    const text = await readFile(path, 'utf8');
    assert.match(text, /Room again/);
    for (const line of text.trimEnd().split('\n')) JSON.parse(line);
  },
);

test('rotateIfLarge() moves a log over 5 MB aside and goes on in a new one', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'daemon.log');
  await writeFile(path, 'x'.repeat(6 * 1024 * 1024));
  const log = openLog({ path });

  log.rotateIfLarge();
  log.info({}, 'After');
  log.rotateIfLarge();
  log.close();

  assert.equal((await stat(`${path}.1`)).size, 6 * 1024 * 1024);
  assert.match(await readFile(path, 'utf8'), /"msg":"After"/);
});

test('rotateIfLarge() leaves the earlier logs where they are while the log cannot be moved', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'daemon.log');
  await writeFile(path, 'x'.repeat(6 * 1024 * 1024));
  await writeFile(`${path}.1`, 'earlier');
  await mkdir(`${path}.0`);
  const log = openLog({ path });

  for (let minute = 0; minute < 4; minute += 1) log.rotateIfLarge();
  log.close();

  assert.equal(await readFile(`${path}.1`, 'utf8'), 'earlier');
  assert.match(await readFile(path, 'utf8'), /Cannot rotate the log/);
});
