import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, mock, test } from 'node:test';

import { silentLog } from '../../src/platform/log.ts';
import { watchDirectory } from '../../src/platform/watch-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

/** A watch on a real directory, whose listing timer the test turns. */
async function watchRun() {
  const temporary = await temporaryDirectory();
  const directory = join(temporary.path, 'spool');
  mkdirSync(directory);
  mock.timers.enable({ apis: ['setInterval'] });
  let wakes = 0;
  const warnings: string[] = [];
  const watch = watchDirectory(directory, () => (wakes += 1), {
    everyMs: 1_000,
    log: { ...silentLog, warn: (_, sentence) => void warnings.push(sentence) },
  });
  return {
    directory,
    watch,
    warnings,
    wakes: () => wakes,
    async [Symbol.asyncDispose]() {
      watch.stop();
      mock.timers.reset();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

describe('watchDirectory()', () => {
  test('wakes at the start, at each interval, and when something comes in', async () => {
    await using run = await watchRun();
    assert.equal(run.wakes(), 1);

    mock.timers.tick(2_000);
    assert.equal(run.wakes(), 3);
    writeFileSync(join(run.directory, 'a'), 'x');

    await until(() => run.wakes() > 3);
  });

  test('watches the directory that took the place of another one (fault 20)', async () => {
    await using run = await watchRun();
    renameSync(run.directory, `${run.directory}-old`);
    mkdirSync(run.directory);
    await until(() => run.wakes() > 1);
    mock.timers.tick(1_000);
    const before = run.wakes();

    writeFileSync(join(run.directory, 'a'), 'x');

    await until(() => run.wakes() > before);
  });

  test('a missing directory does not stop it (fault 14)', async () => {
    await using run = await watchRun();
    renameSync(run.directory, `${run.directory}-old`);
    mock.timers.tick(3_000);
    assert.ok(run.wakes() >= 4);
    mkdirSync(run.directory);
    mock.timers.tick(1_000);
    const before = run.wakes();

    writeFileSync(join(run.directory, 'a'), 'x');

    await until(() => run.wakes() > before);
    assert.deepEqual(run.warnings, []);
  });

  test('stop() ends it', async () => {
    await using run = await watchRun();
    const before = run.wakes();

    run.watch.stop();
    mock.timers.tick(5_000);

    assert.equal(run.wakes(), before);
  });
});
