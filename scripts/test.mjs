// Runs the compiled tests. Arguments are parts of paths: `node scripts/test.mjs store/events` runs those only. Without any,
// all run but the long ones, which `--long` runs.
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
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../', import.meta.url));
const root = fileURLToPath(new URL('../dist/test/', import.meta.url));
// Each takes many seconds, or needs a desktop: CI runs them after the others, which together take less than five minutes.
const long = [
  'alerts/properties',
  'aur',
  'bench/compare',
  'channels/aloud',
  'channels/apprise',
  'channels/matrix/synapse',
  'channels/slack/slack-app-faults',
  'cli/commands/doctor-canary',
  'cli/commands/remote-trouble',
  'cli/commands/reply-once',
  'cli/vendor/commands/api.',
  'cli/vendor/commands/usage',
  'delivery/guarantees',
  'delivery/sigkill',
  'e2e/answer-races',
  'e2e/audit',
  'e2e/click',
  'e2e/recipients',
  'e2e/crash',
  'e2e/demo',
  'e2e/desktop-decision',
  'e2e/desktop-reply',
  'e2e/desktop-words',
  'e2e/do-not-disturb',
  'e2e/escalation-crash',
  'e2e/focus',
  'e2e/follow',
  'e2e/from-npm',
  'e2e/guided-ntfy',
  'e2e/guided-slack',
  'e2e/hostile-texts',
  'e2e/hub',
  'e2e/hung-daemon',
  'e2e/hung-paths',
  'e2e/init',
  'e2e/install',
  'e2e/look-up.',
  'e2e/next-life',
  'e2e/ntfy',
  'e2e/obligations/obligations',
  'e2e/obligations/questions',
  'e2e/outages',
  'e2e/page-decision',
  'e2e/page-accessibility',
  'e2e/page-firefox',
  'e2e/page-growth',
  'e2e/page-parts',
  'e2e/page-phone',
  'e2e/page.',
  'e2e/pagerduty',
  'e2e/planted',
  'e2e/relay.',
  'e2e/reply-page',
  'e2e/revoked-token',
  'e2e/rotated-secret',
  'e2e/seeded-secrets',
  'e2e/service-manager',
  'e2e/settle.',
  'e2e/shared-store',
  'e2e/speech',
  'e2e/slack-app',
  'e2e/slack-hour',
  'e2e/slack-live',
  'e2e/telegram',
  'e2e/upgrade',
  'e2e/vendor-api-page',
  'e2e/watch-computers',
  'e2e/watch-sessions',
  'hooks/ask',
  'hooks/hand-off',
  'homebrew',
  'deb',
  'reply/question-races',
  'setup/client.',
  'store/on-postgres',
  'store/other-node',
  'store/postgres/failover',
  'store/postgres/migrate-server',
  'store/postgres/owner',
  'store/postgres/pgbouncer',
  'store/postgres/rotation',
  'store/postgres/server',
  'vendor/client/fault-table',
];
// Those that start programs and wait for them, or look at what their process has loaded. The others run a dozen to a
// process: to start it and to load what they test takes longer than they do.
const alone = [
  'bench',
  'channels/aloud',
  'channels/apprise',
  'channels/matrix/synapse',
  'channels/registry',
  'cli/commands',
  'delivery/guarantees',
  'delivery/sigkill',
  'e2e',
  'hooks',
  'package',
  'setup/install',
  'store/on-postgres.',
  'store/other-node',
];
// The longest come first, so that none is left to run by itself at the end.
const first = [
  'e2e/upgrade-from-npm',
  'e2e/hub/faults',
  'e2e/obligations',
  'store/on-postgres.',
  'e2e/hub/isolation',
  'e2e/from-npm',
  'e2e/slack-hour',
  'store/other-node',
  'e2e/ntfy',
  'e2e/hub-answers',
  'e2e/upgrade.',
  'e2e/answer-races',
  'bench/compare',
];
const GROUP_SIZE = 12;
/** With more files, something is broken. */
const MOST_AGAIN = 3;
const isLong = (name) => long.some((part) => name.startsWith(part));
const isLongRun = process.argv.includes('--long');
const wanted = process.argv.slice(2).filter((word) => word !== '--long');
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
const initial = run(processes(files), isLongRun ? 3 : 4);
const { failed } = initial;
if (initial.status === 0 || failed === null || failed.length > MOST_AGAIN)
  process.exit(initial.status);

// The machine may have been too busy for them. They are reported all the same: each is a defect, of the test or the program.
const shaky = failed.map((path) => relative(root, path)).join(', ');
process.stdout.write(`\nRunning again, one after the other: ${shaky}\n`);
const second = run(failed, 1);
if (second.status === 0) {
  process.stdout.write(`\nFLAKY: failed at first, and passed when run again: ${shaky}\n`);
}
process.exit(second.status);

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

function isAlone(name) {
  return alone.some((part) => name.startsWith(part));
}
