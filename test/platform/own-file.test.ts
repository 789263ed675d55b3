import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { openOwnFile } from '../../src/platform/own-file.ts';
import { needsOtherUser } from '../support/other-user.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const uid = process.geteuid?.() ?? null;

describe('openOwnFile() (T3, fault 51)', () => {
  test('reads a regular file of this user', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'file');
    writeFileSync(path, 'hello');

    const file = openOwnFile(path, uid);

    assert.ok(file.type === 'open');
    assert.equal(file.read(1, 3).toString(), 'ell');
    assert.equal(file.read(3, 100).toString(), 'lo');
    file.close();
  });

  test('refuses a file of another user', { skip: uid === null }, async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'file');
    writeFileSync(path, 'hello');

    assert.deepEqual(openOwnFile(path, Number(uid) + 1), {
      type: 'not-ours',
      detail: `It belongs to user ${uid}`,
    });
  });

  test('follows no link', async () => {
    await using directory = await temporaryDirectory();
    writeFileSync(join(directory.path, 'file'), 'hello');
    const link = join(directory.path, 'link');
    symlinkSync('file', link);

    assert.equal(openOwnFile(link, uid).type, 'not-ours');
  });

  test('does not block on a FIFO', { skip: needs('mkfifo') }, async () => {
    await using directory = await temporaryDirectory();
    const fifo = join(directory.path, 'fifo');
    execFileSync('mkfifo', [fifo]);

    assert.equal(openOwnFile(fifo, uid).type, 'not-ours');
  });

  test('says that this user may not read a file', { skip: needsOtherUser() }, async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'file');
    writeFileSync(path, 'hello');
    const asOther = (): unknown => {
      process.seteuid?.(65_534);
      try {
        return openOwnFile(path, 65_534);
      } finally {
        process.seteuid?.(0);
      }
    };

    assert.deepEqual(asOther(), { type: 'not-ours', detail: 'It cannot be read by this user' });
  });

  test('throws what no other file would help against', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'x'.repeat(300));

    assert.throws(() => openOwnFile(path, uid), { code: 'ENAMETOOLONG' });
  });

  test('a file that is removed meanwhile is not an error', () => {
    for (const path of ['/nonexistent/file', '/dev/null/file'])
      assert.deepEqual(openOwnFile(path, uid), { type: 'gone' });
  });
});
