import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

import { programFile } from '../../src/platform/program-files.ts';
import type { CheckPages } from '../../src/store/sqlite/background-check.ts';
import type { Recovered } from '../../src/store/open-store.ts';
import { deferred } from '../support/deferred.ts';
import { decideNothing, sampleRecord, storeAt } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

/** A database of 20 MB with the log that a killed daemon leaves behind. */
async function crashedDatabase(directory: string): Promise<string> {
  const path = join(directory, 'running.db');
  const crashed = join(directory, 'crashed.db');
  await using running = await storeAt(path);
  const records = Array.from({ length: 200 }, () => sampleRecord({}, 'x'.repeat(100_000)));
  await running.store.events.accept(records, decideNothing);
  // Begins the log anew, which holds all of the database otherwise.
  await running.store.events.accept([sampleRecord()], decideNothing);
  for (const companion of ['', '-wal']) await copyFile(path + companion, crashed + companion);
  return crashed;
}

const checkElsewhere: CheckPages = async (path, signal) => {
  const words = [programFile('checkPages'), path];
  const { stdout } = await promisify(execFile)(process.execPath, words, { signal });
  return stdout;
};

describe('openStore() after a crash with a large database (A15)', () => {
  test('does not wait for the check, and leaves the file alone until it is over', async () => {
    await using directory = await temporaryDirectory();
    const path = await crashedDatabase(directory.path);
    const checked: string[] = [];
    const answer = deferred();
    await using opened = await storeAt(path, {
      async checkPages(file) {
        checked.push(file);
        await answer.promise;
        return 'ok';
      },
    });
    await until(() => checked.length > 0);
    assert.deepEqual(checked, [path]);
    const before = readFileSync(path);

    const records = Array.from({ length: 20 }, () => sampleRecord({}, 'y'.repeat(100_000)));
    await opened.store.events.accept(records, decideNothing);

    assert.ok(before.equals(readFileSync(path)));
    answer.resolve();
    await until(() => statSync(path).size > before.length);
    assert.equal((await opened.store.upkeep.counts()).events, 221);
  });

  test('sets the database aside when a separate process finds damage, and continues', async () => {
    await using directory = await temporaryDirectory();
    const path = await crashedDatabase(directory.path);
    const file = openSync(path, 'r+');
    writeSync(file, new Uint8Array(40_960).fill(0xa5), 0, 40_960, 10_000 * 1_024);
    closeSync(file);
    const replaced: Recovered[] = [];
    await using opened = await storeAt(path, {
      checkPages: checkElsewhere,
      onReplaced: (recovered) => replaced.push(recovered),
    });

    await until(() => replaced.length > 0);

    assert.match(replaced[0]!.reason, /^Cannot use the database/);
    assert.ok(statSync(replaced[0]!.aside).size > 10_000_000);
    const verdicts = await opened.store.events.accept([sampleRecord({ id: 'new' })], decideNothing);
    assert.deepEqual(verdicts, ['committed']);
    assert.equal((await opened.store.upkeep.counts()).events, 1);
  });

  test('believes no damage that it does not find itself', async () => {
    await using directory = await temporaryDirectory();
    const path = await crashedDatabase(directory.path);
    const replaced: Recovered[] = [];
    const lines: string[] = [];
    const log = {
      debug: () => {},
      info: () => {},
      error: () => {},
      warn: (_fields: object, line: string) => void lines.push(line),
    };

    await using opened = await storeAt(path, {
      checkPages: async () => 'row 3 missing',
      onReplaced: (recovered) => replaced.push(recovered),
      log,
    });

    await until(() => lines.some((line) => line.includes('seems to be damaged')));
    assert.equal((await opened.store.upkeep.counts()).events, 201);
    assert.deepEqual(replaced, []);
  });

  test('is checked by a separate process without the lock, which prints "ok" for an intact one', async () => {
    await using directory = await temporaryDirectory();
    const path = await crashedDatabase(directory.path);
    await using opened = await storeAt(path, { checkPages: async () => 'ok' });

    assert.equal(await checkElsewhere(path, new AbortController().signal), 'ok');
    assert.equal(opened.recovered, null);
  });
});
