import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { migrations } from '../../src/store/sqlite/migrations/migrations.ts';
import { decideNothing, sampleRecord, storeAt } from '../support/store.ts';
import { fillDisk, mountSmall, needsMount } from '../support/small-file-system.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);
const writer = fileURLToPath(new URL('../support/store-writer.js', import.meta.url));

test(
  'a full disk rejects commits with "full"; with room again the same store goes on (P93, fault 12)',
  {
    skip: needsMount(),
  },
  async () => {
    await using directory = await temporaryDirectory();
    await using disk = await mountSmall(directory.path, 4);
    await using opened = await storeAt(join(disk.path, 'hookbell.db'));
    const { store } = opened;
    const record = sampleRecord({ id: 'large' }, 'x'.repeat(300_000));
    await store.events.accept([sampleRecord({ id: 'before' })], decideNothing);
    const { bavail, bsize } = statfsSync(disk.path);
    const ballast = join(disk.path, 'ballast');
    await writeFile(ballast, new Uint8Array(bavail * bsize - 100_000));

    await assert.rejects(store.events.accept([record], decideNothing), {
      name: 'StoreError',
      code: 'full',
    });
    await assert.rejects(store.events.accept([record], decideNothing), {
      name: 'StoreError',
      code: 'full',
    });
    assert.equal((await store.upkeep.counts()).events, 1, 'reading still works');
    await rm(ballast);

    assert.deepEqual(await store.events.accept([record], decideNothing), ['committed']);
    const entries = await store.history.list({ limit: 9 });
    assert.deepEqual(
      entries.map(({ event }) => event.id),
      ['large', 'before'],
    );
  },
);

test(
  'an fsync of the log that fails once: that commit is reported, the next one works (P93, fault 15)',
  {
    skip: needs('strace'),
  },
  async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'hookbell.db');
    // The calls on the log are counted: one a migration, some more of the opening, then one or two a commit.
    const words = [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-P',
      `${path}-wal`,
      '-e',
      'trace=fsync,fdatasync',
    ];
    const call = migrations.length + 3;
    const fault = ['-e', `inject=fsync,fdatasync:error=EIO:when=${call}`];

    const { stdout } = await run('strace', [
      ...words,
      ...fault,
      process.execPath,
      writer,
      'ten',
      path,
    ]);

    const answers = stdout.trim().split('\n');
    assert.equal(answers.filter((answer) => answer === 'io').length, 1, stdout);
    assert.equal(answers.filter((answer) => answer === 'committed').length, 9, stdout);
    assert.equal(answers.at(-1), 'committed');
    await using opened = await storeAt(path);
    assert.equal(opened.recovered, null);
    const entries = await opened.store.history.list({ limit: 20 });
    const expected = answers.flatMap((answer, number) =>
      answer === 'committed' ? [`event ${number}`] : [],
    );
    assert.deepEqual(entries.map(({ event }) => event.id).toReversed(), expected);
  },
);

test(
  'a full temporary directory stops no commit, however much one transaction changes (D12)',
  { skip: needsMount() },
  async () => {
    await using directory = await temporaryDirectory();
    await using mounted = await temporaryDirectory();
    await using full = await mountSmall(mounted.path, 1);
    await fillDisk(join(full.path, 'filler'));
    const path = join(directory.path, 'hookbell.db');
    const env = { ...process.env, SQLITE_TMPDIR: full.path, TMPDIR: full.path };

    const { stdout } = await run(process.execPath, [writer, 'rewritten', path, '300'], { env });

    assert.equal(stdout.trim(), 'committed');
  },
);
