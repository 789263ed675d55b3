// Runs compiled test files in the order given; `node --test` would sort them. For scripts/test.mjs:
// `run-files.mjs CONCURRENCY FAILED FILE…` writes the file of each test that failed to FAILED, one to a line.
import { appendFileSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** A test that waits for good ends with its file, and loses no more than that. The slowest file takes a third of it. */
const FILE_MS = 15 * 60_000;

const [, , concurrency, failed, ...files] = process.argv;
run({ files, concurrency: Number(concurrency), timeout: FILE_MS })
  .on('test:fail', ({ todo, file, name, details: { error } }) => {
    if (todo !== undefined) return;
    process.exitCode = 1;
    // The tests of a file that ended early have no separate place: its process does.
    if ((error.cause?.failureType ?? error.failureType) === 'subtestsFailed') return;
    appendFileSync(failed, `${file ?? name}\n`);
  })
  .compose(new spec())
  .pipe(process.stdout);
