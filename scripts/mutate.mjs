// Mutation testing: makes one small change to a compiled file at a time, and tells which of them the room's own unit tests
// do not notice. `node scripts/mutate.mjs alerts core` draws 150 changes of each room; `--most N` another number, `--seed N`
// repeats a drawing (several: several drawings), and `--changed BASE` takes the files that differ from a commit. Needs `npm run build`.
// Stryker runs the whole suite in its runner and copies the project. Here a change is made while the file is loaded
// (mutate-loader.mjs), and only the test files of the room that pass its place run: first the one named like the changed file,
// then the others in one process until a test fails. Tests that `npm test` leaves out do not count.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { mutantsOf } from './mutations.mjs';
import { isAlone, isLong } from './test-lists.mjs';

const project = fileURLToPath(new URL('../', import.meta.url));
const compiled = join(project, 'dist');
const loader = new URL('mutate-loader.mjs', import.meta.url).href;
/** Share of changes that the unit tests of a room must notice, %: of the rooms that decide something. */
const BOUNDS = {
  alerts: 85,
  core: 85,
  agents: 85,
  intake: 85,
  delivery: 75,
  reply: 75,
  attention: 75,
  relay: 75,
  hub: 75,
  store: 75,
};
const TEST_MS = 180_000;
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: 'string', default: '150' },
    seed: { type: 'string', multiple: true, default: ['1'] },
    changed: { type: 'string' },
  },
});
const changed = options.changed === undefined ? null : changedSince(options.changed);
const rooms =
  changed === null
    ? positionals
    : Object.keys(BOUNDS).filter((room) => changed.some((source) => roomOf(source) === room));
if (changed === null && (rooms.length === 0 || !rooms.every((room) => room in BOUNDS))) {
  process.stderr.write(`Name one of ${Object.keys(BOUNDS).join(', ')}, or use --changed BASE\n`);
  process.exit(2);
}
let isBelow = false;
/** What tests make once and use again (test/support/postgres.ts). */
const shared = mkdtempSync(join(tmpdir(), 'hookbell-mutate-'));
process.on('exit', () => rmSync(shared, { recursive: true, force: true }));
for (const room of rooms) await judge(room);
process.exit(isBelow ? 1 : 0);

/** Prints what the room's unit tests did not notice. */
async function judge(room) {
  const tests = filesIn(join(compiled, 'test', room), '.test.js').filter(
    (path) => !isLong(nameOf(path)),
  );
  const files = filesIn(join(compiled, 'src', room), '.js').filter(
    (path) => changed === null || changed.includes(sourceOf(path)),
  );
  const places = await placesPassed(tests);
  const all = files.flatMap((path) => mutantsOf(path));
  const bound = BOUNDS[room];
  for (const seed of options.seed) {
    const drawn = shuffled(all, Number(seed)).slice(0, Number(options.most));
    let noticed = drawn.length;
    await atOnce(drawn, async (mutant) => {
      if (await isNoticed(mutant, places)) return;
      noticed -= 1;
      process.stdout.write(`  ${textOf(mutant)}\n`);
    });
    const share = drawn.length === 0 ? 100 : (noticed / drawn.length) * 100;
    isBelow ||= share < bound;
    process.stdout.write(
      `${room}: ${noticed} of ${drawn.length} changes noticed (${share.toFixed(0)} %, wanted ${bound} %), of ${all.length} possible, seed ${seed}\n`,
    );
  }
}

async function isNoticed(mutant, places) {
  const name = basename(mutant.path, '.js');
  const passing = places.filter(({ passes }) => passes(mutant)).toSorted((a, b) => a.ms - b.ms);
  const isNamesake = ({ test }) => basename(test, '.test.js') === name;
  const rest = passing.filter((place) => !isNamesake(place));
  const groups = [
    ...passing.filter(isNamesake).map((place) => [place]),
    rest.filter(({ test }) => !isAlone(nameOf(test))),
    ...rest.filter(({ test }) => isAlone(nameOf(test))).map((place) => [place]),
  ].filter((group) => group.length > 0);
  for (const group of groups) {
    const ms = group.reduce((sum, place) => sum + place.ms, 0);
    const env = { HOOKBELL_MUTANT: JSON.stringify(mutant) };
    const names = group.map(({ test }) => test);
    if (!(await runTests(names, env, Math.ceil(ms * 3) + 10_000)).ok) return true;
  }
  return false;
}

/** Which test files pass which places of which files, and how long they take. */
async function placesPassed(tests) {
  const places = [];
  await atOnce([...tests.entries()], async ([index, test]) => {
    const coverage = join(shared, `coverage-${index}`);
    const { ok, ms, pid } = await runTests([test], { NODE_V8_COVERAGE: coverage }, TEST_MS);
    if (!ok) {
      process.stdout.write(`  ${sourceOf(test)} fails without a change, and is left out\n`);
      return;
    }
    const ranges = rangesIn(coverage, pid);
    rmSync(coverage, { recursive: true });
    places.push({ test, ms, passes: ({ path, start }) => isPassed(ranges.get(path), start) });
  });
  return places;
}

/** Calls for each, as many at a time as there are cores. */
async function atOnce(values, call) {
  const queue = [...values];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await call(next);
    }),
  );
}

/** The ranges of each file with how often they ran, by path; not in programs that the tests start, which are not changed. */
function rangesIn(coverage, pid) {
  const found = new Map();
  for (const name of readdirSync(coverage)) {
    if (!name.startsWith(`coverage-${pid}-`)) continue;
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, name), 'utf8'))
      .result) {
      if (!url.startsWith('file:')) continue;
      const path = fileURLToPath(url);
      if (!path.startsWith(join(compiled, 'src'))) continue;
      const runs = functions.map(({ ranges }) => ranges);
      found.set(path, [...(found.get(path) ?? []), runs]);
    }
  }
  return found;
}

/** Whether the innermost range around the place ran, in any thread. */
function isPassed(threads, start) {
  return (threads ?? []).some((functions) => {
    const around = functions
      .flat()
      .filter(({ startOffset, endOffset }) => startOffset <= start && start < endOffset)
      .toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
    return (around[0]?.count ?? 0) > 0;
  });
}

/** Runs the files in one process, until a test fails. */
function runTests(tests, extra, timeout) {
  const startedAt = performance.now();
  const imports = tests.map((test) => `import ${JSON.stringify(pathToFileURL(test).href)};`);
  const words = ['--import', loader, `--test-reporter=${loader}`, '--input-type=module', '-e'];
  const env = { ...process.env, HOOKBELL_TEST_SHARED: shared, ...extra };
  return new Promise((resolve) => {
    const { pid } = execFile(
      process.execPath,
      [...words, imports.join('\n')],
      { cwd: project, env, timeout, killSignal: 'SIGKILL' },
      (error) => resolve({ ok: error === null, ms: performance.now() - startedAt, pid }),
    );
  });
}

/** Such as "src/alerts/gate.ts:41: kind === other -> (kind) !== (other)". */
function textOf({ path, start, was, text }) {
  const before = readFileSync(path, 'utf8').slice(0, start).split('\n');
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const { originalLine } = map.findEntry(before.length - 1, before.at(-1).length);
  return `${sourceOf(path)}:${originalLine + 1}: ${short(was)} -> ${short(text)}`;
}

function short(code) {
  return code.replaceAll(/\s+/g, ' ').slice(0, 70);
}

function sourceOf(path) {
  return relative(compiled, path).replace(/\.js$/, '.ts');
}

/** Such as "alerts/gate.test.js". */
function nameOf(test) {
  return relative(join(compiled, 'test'), test);
}

function roomOf(source) {
  return source.split('/')[1];
}

function changedSince(base) {
  return execFileSync('git', ['diff', '--name-only', '--diff-filter=d', base, '--', 'src'], {
    cwd: project,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((name) => /^src\/[^/]+\/.*\.ts$/.test(name));
}

function filesIn(directory, ending) {
  return readdirSync(directory, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name))
    .toSorted();
}

/** The same order for the same seed (mulberry32). */
function shuffled(values, seed) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return values
    .map((value) => [random(), value])
    .toSorted(([a], [b]) => a - b)
    .map(([, value]) => value);
}
