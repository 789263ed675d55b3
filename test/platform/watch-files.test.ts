import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, mock, test } from 'node:test';

import { silentLog } from '../../src/platform/log.ts';
import { watchDirectory, watchFile } from '../../src/platform/watch-files.ts';
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
    blindMs: 1_000,
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
  test('wakes at the start and when something comes in, and in between not at all', async () => {
    await using run = await watchRun();
    mock.timers.tick(3_600_000);
    assert.equal(run.wakes(), 1);

    writeFileSync(join(run.directory, 'a'), 'x');

    await until(() => run.wakes() > 1);
  });

  test('looks at each interval for an hour once an event was missing', async () => {
    await using run = await watchRun();

    run.watch.distrust();
    mock.timers.tick(3_000);

    assert.equal(run.wakes(), 4);
  });

  test('watches the directory that took the place of another one (fault 20)', async () => {
    await using run = await watchRun();
    renameSync(run.directory, `${run.directory}-old`);
    mkdirSync(run.directory);
    await until(() => run.wakes() > 1);
    run.watch.look();
    const before = run.wakes();

    writeFileSync(join(run.directory, 'a'), 'x');

    await until(() => run.wakes() > before);
  });

  test('a missing directory does not stop it (fault 14)', async () => {
    await using run = await watchRun();
    renameSync(run.directory, `${run.directory}-old`);
    run.watch.look();
    const started = run.wakes();
    mock.timers.tick(3_000);
    assert.ok(run.wakes() >= started + 3);
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

/** The inodes that this process watches. */
function watchedInodes(): readonly number[] {
  return readdirSync('/proc/self/fdinfo').flatMap((fd) => {
    const text = readIfThere(`/proc/self/fdinfo/${fd}`);
    return [...text.matchAll(/^inotify .*? ino:([0-9a-f]+)/gm)].map(([, inode = '']) =>
      Number.parseInt(inode, 16),
    );
  });
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

describe('watchFile()', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  test('watches the file and not its directory, in which others may write all the time', async () => {
    await using temporary = await temporaryDirectory();
    const path = join(temporary.path, 'config.yaml');
    writeFileSync(path, 'a');

    const watch = watchFile(path, () => {});

    const inodes = watchedInodes();
    watch.stop();
    assert.ok(inodes.includes(statSync(path).ino));
    assert.ok(!inodes.includes(statSync(temporary.path).ino));
    assert.ok(!watchedInodes().includes(statSync(path).ino));
  });

  test('reports each change: in place, by another file in its place, and of that one', async () => {
    await using temporary = await temporaryDirectory();
    const path = join(temporary.path, 'config.yaml');
    writeFileSync(path, 'a');
    const seen: string[] = [];
    const watch = watchFile(path, () => seen.push(readFileSync(path, 'utf8')));

    writeFileSync(path, 'b');
    await until(() => seen.includes('b'));
    for (const text of ['c', 'd']) {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
      await until(() => seen.includes(text));
    }
    writeFileSync(path, 'e');
    await until(() => seen.includes('e'));
    watch.stop();
  });

  test('begins with the file that comes later, when it is renewed', async () => {
    await using temporary = await temporaryDirectory();
    const path = join(temporary.path, 'config.yaml');
    let changes = 0;
    const watch = watchFile(path, () => (changes += 1));
    writeFileSync(path, 'a');

    watch.renew();
    writeFileSync(path, 'b');

    await until(() => changes > 0);
    watch.stop();
  });
});
