// Mutation testing: makes one small change to a compiled file at a time, and tells which of them the room's own unit tests
// do not notice. `node scripts/mutate.mjs alerts core` draws 150 changes of each room; `--most N` another number, `--seed N`
// repeats a drawing, and `--changed BASE` takes the files that differ from a commit. Needs `npm run build`.
// Stryker runs the whole suite in its runner and copies the project. Here a change is made while the file is loaded
// (mutate-loader.mjs), and only the test files of the room that pass its place run.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { parseAst } from 'rolldown/parseAst';

const project = fileURLToPath(new URL('../', import.meta.url));
const compiled = join(project, 'dist');
const loader = fileURLToPath(new URL('mutate-loader.mjs', import.meta.url));
/** Share of changes that the unit tests of a room must notice, %. */
const BOUNDS = { alerts: 85, core: 85, agents: 85, intake: 85 };
const OTHER_BOUND = 75;
const TEST_MS = 60_000;
const SWAPS = {
  __proto__: null,
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};
const CALLS = {
  __proto__: null,
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  find: 'findLast',
  findLast: 'find',
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    changed: { type: 'string' },
  },
});
const changed = options.changed === undefined ? null : changedSince(options.changed);
const rooms = changed === null ? positionals : [...new Set(changed.map(roomOf))];
if (rooms.length === 0) {
  process.stderr.write('Name rooms of src/, such as "alerts core", or use --changed BASE\n');
  process.exit(2);
}
let isBelow = false;
for (const room of rooms) await judge(room);
process.exit(isBelow ? 1 : 0);

/** Prints what the room's unit tests did not notice. */
async function judge(room) {
  const tests = filesIn(join(compiled, 'test', room), '.test.js');
  const files = filesIn(join(compiled, 'src', room), '.js').filter(
    (path) => changed === null || changed.includes(sourceOf(path)),
  );
  const places = await placesPassed(tests);
  const all = files.flatMap((path) => mutantsOf(path));
  const drawn = shuffled(all, Number(options.seed)).slice(0, Number(options.most));
  const survivors = [];
  const queue = [...drawn];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        if (!(await isNoticed(mutant, places))) survivors.push(mutant);
      }
    }),
  );
  const share = drawn.length === 0 ? 100 : (1 - survivors.length / drawn.length) * 100;
  const bound = BOUNDS[room] ?? OTHER_BOUND;
  isBelow ||= share < bound;
  for (const text of survivors.map(textOf).toSorted()) process.stdout.write(`  ${text}\n`);
  process.stdout.write(
    `${room}: ${drawn.length - survivors.length} of ${drawn.length} changes noticed (${share.toFixed(0)} %, wanted ${bound} %), of ${all.length} possible\n`,
  );
}

async function isNoticed(mutant, places) {
  const passing = places.filter(({ passes }) => passes(mutant)).toSorted((a, b) => a.ms - b.ms);
  for (const { test, ms } of passing) {
    const env = { HOOKBELL_MUTANT: JSON.stringify(mutant) };
    if (!(await runTest(test, env, Math.ceil(ms * 5) + 10_000)).ok) return true;
  }
  return false;
}

/** Which test files pass which places of which files, and how long they take. */
async function placesPassed(tests) {
  const directory = mkdtempSync(join(tmpdir(), 'hookbell-mutate-'));
  const queue = [...tests.entries()];
  const places = [];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [index, test] = next;
        const coverage = join(directory, String(index));
        const { ok, ms } = await runTest(test, { NODE_V8_COVERAGE: coverage }, TEST_MS);
        if (!ok) {
          process.stdout.write(`  ${sourceOf(test)} fails without a change, and is left out\n`);
          continue;
        }
        const ranges = rangesIn(coverage);
        places.push({ test, ms, passes: ({ path, start }) => isPassed(ranges.get(path), start) });
      }
    }),
  );
  rmSync(directory, { recursive: true, force: true });
  return places;
}

/** The ranges of each file with how often they ran, by path. */
function rangesIn(coverage) {
  const found = new Map();
  for (const name of readdirSync(coverage)) {
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

/** Whether the innermost range around the place ran, in any process. */
function isPassed(processes, start) {
  return (processes ?? []).some((functions) => {
    const around = functions
      .flat()
      .filter(({ startOffset, endOffset }) => startOffset <= start && start < endOffset)
      .toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
    return (around[0]?.count ?? 0) > 0;
  });
}

function runTest(test, extra, timeout) {
  const startedAt = performance.now();
  const words = ['--import', pathToFileURL(loader).href, '--test-reporter=dot', test];
  const env = { ...process.env, ...extra };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      words,
      { cwd: project, env, timeout, killSignal: 'SIGKILL' },
      (error) => resolve({ ok: error === null, ms: performance.now() - startedAt }),
    );
  });
}

/** All changes of a file: operators, conditions, numbers, truth values, and calls left out; wording is not changed. */
function mutantsOf(path) {
  const code = readFileSync(path, 'utf8');
  const found = [];
  const add = (node, text) => {
    const was = code.slice(node.start, node.end);
    if (text !== was) found.push({ path, start: node.start, end: node.end, was, text });
  };
  const textIn = (part) => code.slice(part.start, part.end);
  visit(parseAst(code), (node) => {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const { left, right, operator } = node;
        if (operator === '??') add(node, textIn(left));
        const swapped = SWAPS[operator];
        if (swapped === undefined || (operator === '+' && [left, right].some(isText))) break;
        add(node, `(${textIn(left)}) ${swapped} (${textIn(right)})`);
        break;
      }
      case 'UnaryExpression':
        if (node.operator === '!') add(node, textIn(node.argument));
        break;
      case 'ConditionalExpression':
      case 'IfStatement':
        add(node.test, `!(${textIn(node.test)})`);
        break;
      case 'Literal':
        if (typeof node.value === 'number') add(node, String(node.value + 1));
        if (typeof node.value === 'boolean') add(node, String(!node.value));
        break;
      case 'CallExpression': {
        const { callee } = node;
        const swapped =
          callee.type === 'MemberExpression' ? CALLS[callee.property.name] : undefined;
        if (swapped !== undefined) add(callee.property, swapped);
        break;
      }
      case 'ExpressionStatement':
        if (node.expression.type === 'CallExpression' && !isLog(node.expression)) add(node, ';');
        break;
      default:
    }
  });
  return found;
}

function visit(node, callback) {
  callback(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') visit(child, callback);
    }
  }
}

function isText({ type, value }) {
  return type === 'TemplateLiteral' || typeof value === 'string';
}

function isLog({ callee }) {
  return callee.object?.name === 'log';
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
