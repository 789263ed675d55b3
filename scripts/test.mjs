// Runs the compiled tests. Arguments are parts of paths: `node scripts/test.mjs store/events` runs those only. Without any,
// all run but the long ones, which `--long` runs. `--record` runs what docs/what-runs-where.md names for Linux, and keeps the outcome.
// Files are passed one by one because Node 20 expands no globs and would run helper files as tests.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isAlone, isLong, long } from './test-lists.mjs';

const project = fileURLToPath(new URL('../', import.meta.url));
const root = fileURLToPath(new URL('../dist/test/', import.meta.url));
// The longest come first, so that none is left to run by itself at the end.
const first = [
  'e2e/upgrade-from-npm',
  'e2e/hub/faults',
  'e2e/slack-hour',
  'e2e/obligations',
  'bench/compare',
  'store/on-postgres.',
  'e2e/hub/isolation',
  'e2e/from-npm',
  'store/other-node',
  'e2e/ntfy',
  'e2e/hub-answers',
  'e2e/upgrade.',
  'e2e/answer-races',
  'hooks/hand-off',
  'hooks/ask',
  'e2e/vendor-api-page',
];
const GROUP_SIZE = 12;
/** With more files, something is broken. */
const MOST_AGAIN = 3;
const isLongRun = process.argv.includes('--long');
const isRecorded = process.argv.includes('--record');
const { testsOnLinux } = isRecorded ? await import('./what-runs-page.mjs') : { testsOnLinux: [] };
const wanted = isRecorded
  ? testsOnLinux.map((name) => `${name}.test.js`)
  : process.argv.slice(2).filter((word) => word !== '--long');
const files = readdirSync(root, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.test.js'))
  .filter((name) =>
    wanted.length === 0 ? isLong(name) === isLongRun : wanted.some((part) => name.includes(part)),
  )
  .toSorted();

if (files.length === 0) {
  process.stderr.write(
    `No test file matches ${JSON.stringify(wanted)}: build first with "npm run build"\n`,
  );
  process.exit(1);
}

// The tests start the bundled programs: those of yesterday would pass or fail for nothing.
const compiled = fileURLToPath(new URL('../dist/src/', import.meta.url));
const bundledAt = timeOf(fileURLToPath(new URL('../dist/program/daemon.js', import.meta.url)));
if (
  readdirSync(compiled, { recursive: true }).some((name) => timeOf(compiled + name) > bundledAt)
) {
  process.stderr.write('dist/program is older than dist/src: build with "npm run build"\n');
  process.exit(1);
}

if (wanted.length === 0 && !isLongRun) {
  process.stdout.write(`Without ${long.join(', ')}: "npm run test:long" runs those\n`);
}
/** What tests make once and use again (test/support/postgres.ts). */
const shared = mkdtempSync(join(tmpdir(), 'hookbell-tests-'));
process.on('exit', () => rmSync(shared, { recursive: true, force: true }));
const initial = run(processes(files), Math.max(isLongRun ? 5 : 8, availableParallelism()));
const { failed } = initial;
if (initial.status === 0 || failed === null || failed.length > MOST_AGAIN) await end(initial);

// The machine may have been too busy for them. They are reported all the same: each is a defect, of the test or the program.
const shaky = failed.map((path) => relative(root, path)).join(', ');
process.stdout.write(`\nRunning again, one after the other: ${shaky}\n`);
const second = run(failed, 1);
if (second.status === 0) {
  process.stdout.write(`\nFLAKY: failed at first, and passed when run again: ${shaky}\n`);
}
await end(second);

/** Ends as the last run of these files did, and keeps what came of each. */
async function end({ status, failed: bad }) {
  if (isRecorded) {
    const { recordRun } = await import('../dist/test/support/what-ran.js');
    const isGood = (name) => status === 0 || bad?.includes(`${root}${name}.test.js`) === false;
    const rows = testsOnLinux.map((name) => ({ name, outcome: isGood(name) ? 'ok' : 'failed' }));
    const [major] = process.versions.node.split('.');
    await recordRun('linux', `Linux with Node ${major}`, { rows, isWhole: true });
  }
  process.exit(status);
}

/** Its exit code, and the files in which a test failed; null: they are not known. */
function run(paths, concurrency) {
  const list = fileURLToPath(new URL('../dist/test-groups/failed', import.meta.url));
  rmSync(list, { force: true });
  const runner = fileURLToPath(new URL('run-files.mjs', import.meta.url));
  const { status } = spawnSync(
    process.execPath,
    ['--enable-source-maps', runner, String(concurrency), list, ...paths],
    { stdio: 'inherit', env: { ...process.env, HOOKBELL_TEST_SHARED: shared } },
  );
  const lines = existsSync(list) ? readFileSync(list, 'utf8').split('\n').slice(0, -1) : [];
  const found = [...new Set(lines.map(compiledFile))];
  return {
    status: status ?? 1,
    failed: found.length === 0 || found.includes(null) ? null : found,
  };
}

/** Source maps name "test/a.test.ts" for "dist/test/a.test.js". */
function compiledFile(path) {
  const [, name] = /^test\/(.+)\.ts$/.exec(relative(project, path)) ?? [];
  const file = name === undefined ? path : `${root}${name}.js`;
  return existsSync(file) ? file : null;
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The file of each process: a test by itself, or one that imports a group of them. */
function processes(names) {
  const groups = fileURLToPath(new URL('../dist/test-groups/', import.meta.url));
  rmSync(groups, { recursive: true, force: true });
  mkdirSync(groups);
  const together = names.filter((name) => !isAlone(name));
  const grouped = Array.from({ length: Math.ceil(together.length / GROUP_SIZE) }, (_, index) => {
    const path = `${groups}${index + 1}.js`;
    const members = together.slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE);
    writeFileSync(path, members.map((name) => `import '../test/${name}';\n`).join(''));
    return path;
  });
  const single = names.filter(isAlone);
  const early = single
    .filter((name) => placeOf(name) !== -1)
    .toSorted((a, b) => placeOf(a) - placeOf(b));
  const late = single.filter((name) => placeOf(name) === -1);
  return [...early.map((name) => root + name), ...grouped, ...late.map((name) => root + name)];
}

/** Where the name comes among the first; -1: it does not. */
function placeOf(name) {
  return first.findIndex((part) => name.startsWith(part));
}
