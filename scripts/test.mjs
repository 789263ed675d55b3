// Runs the compiled tests. Arguments are parts of paths: `node scripts/test.mjs store/events` runs those only. Without any,
// all run but the long ones, which `--long` runs.
// Files are passed one by one because Node 20 expands no globs and would run helper files as tests.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../dist/test/', import.meta.url));
// Each takes a minute or more: CI runs them after the others.
const long = [
  'delivery/guarantees',
  'delivery/sigkill',
  'e2e/crash',
  'e2e/escalation-crash',
  'e2e/install',
  'e2e/obligations/obligations',
  'hooks/hand-off',
  'store/other-node',
];
const isLong = (name) => long.some((part) => name.startsWith(part));
const isLongRun = process.argv.includes('--long');
const wanted = process.argv.slice(2).filter((word) => word !== '--long');
const files = readdirSync(root, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.test.js'))
  .filter((name) =>
    wanted.length === 0 ? isLong(name) === isLongRun : wanted.some((part) => name.includes(part)),
  )
  .toSorted()
  .map((name) => root + name);

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
const run = spawnSync(
  process.execPath,
  ['--enable-source-maps', '--test', '--test-concurrency=3', '--test-reporter=spec', ...files],
  { stdio: 'inherit' },
);
process.exit(run.status ?? 1);

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
