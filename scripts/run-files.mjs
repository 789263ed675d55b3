// Runs compiled test files in the order given; `node --test` would sort them. For scripts/test.mjs:
// `run-files.mjs CONCURRENCY FAILED FILE…` writes the file of each test that failed to FAILED, one to a line.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** A test that waits for good ends with its file, and loses no more than that. The slowest file takes a third of it. */
const FILE_MS = 15 * 60_000;

/** How many of the slowest files are named at the end. */
const NAMED = 20;

const [, , concurrency, failed, ...files] = process.argv;
/** Ms that the tests of a file took, by its path. */
const took = new Map();
function count({ file, nesting, details: { duration_ms: ms } }) {
  if (nesting === 0 && file !== undefined) took.set(file, (took.get(file) ?? 0) + ms);
}

run({ files, concurrency: Number(concurrency), timeout: FILE_MS })
  .on('test:pass', count)
  .on('test:fail', count)
  .on('test:fail', ({ todo, file, name, details: { error } }) => {
    if (todo !== undefined) return;
    process.exitCode = 1;
    // The tests of a file that ended early have no separate place: its process does.
    if ((error.cause?.failureType ?? error.failureType) === 'subtestsFailed') return;
    appendFileSync(failed, `${file ?? name}\n`);
  })
  .compose(new spec())
  .on('end', () => {
    const slowest = [...took].toSorted(([, one], [, other]) => other - one).slice(0, NAMED);
    const lines = slowest.map(
      ([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${relative('.', file)}\n`,
    );
    if (files.length > NAMED) process.stdout.write(`\nThe slowest files:\n${lines.join('')}`);
  })
  .pipe(process.stdout);
