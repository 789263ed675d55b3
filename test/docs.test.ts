import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { Command, CommanderError } from 'commander';

import { loadCommands } from '../src/cli/commands/registry.ts';
import { channelCatalog } from '../src/channels/registry.ts';
import { parseConfig } from '../src/config/load.ts';
import { formatProblem } from '../src/config/problem.ts';
import { UsageError } from '../src/platform/errors.ts';
import { routedKinds } from '../src/core/hook-event.ts';
import { projectRoot } from './support/hookbell-home.ts';

interface Page {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

async function pagesOf(directory: string): Promise<readonly Page[]> {
  const paths = await readdir(join(projectRoot, directory), { recursive: directory !== '.' });
  return Promise.all(
    paths
      .filter((path) => path.endsWith('.md'))
      .map(async (name) => {
        const path = join(directory, name);
        return { path, text: await readFile(join(projectRoot, path), 'utf8') };
      }),
  );
}

/** What stands in a page besides its fenced examples. */
function proseOf({ text }: Page): string {
  return text.replaceAll(/^```[^]*?^```$/gm, '');
}

/** The anchors of its headings, as GitHub makes them. */
function anchorsOf(page: Page): readonly string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What links lead to, of those that stay within the project. */
function linksOf(page: Page): readonly string[] {
  return (
    [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      // Two levels above a file of the root are GitHub's own pages of the repository.
      .filter((target) => !/^(?:[a-z]+:|\.\.\/\.\.\/security$)/.test(target))
  );
}

test('every link of the pages leads to a file that is there, and to a heading in it', async () => {
  const pages = [
    ...(await pagesOf('.')),
    ...(await pagesOf('docs')),
    ...(await pagesOf('packaging')),
    ...(await pagesOf('.github')),
  ];
  const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]));
  const links = pages.flatMap((page) => linksOf(page).map((target) => ({ page, target })));

  const broken = links.filter(({ page, target }) => {
    const [file = '', anchor] = target.split('#', 2);
    const path = file === '' ? page.path : join(dirname(page.path), file);
    if (!existsSync(join(projectRoot, path))) return true;
    return anchor !== undefined && anchors.get(path)?.includes(anchor) !== true;
  });

  assert.ok(links.length > 50);
  assert.deepEqual(
    broken.map(({ page, target }) => `${page.path}: ${target}`),
    [],
  );
});

test('every picture is shown in a page, and is small enough to load with it', async () => {
  const pages = [...(await pagesOf('.')), ...(await pagesOf('docs'))];
  const shown = new Set(
    pages.flatMap((page) => linksOf(page).map((target) => join(dirname(page.path), target))),
  );
  const folder = join('docs', 'images');
  const pictures = (await readdir(join(projectRoot, folder))).map((name) => join(folder, name));
  const sizes = await Promise.all(
    pictures.map(async (path) => (await stat(join(projectRoot, path))).size),
  );

  assert.ok(pictures.length >= 10);
  assert.deepEqual(
    pictures.filter((path) => !shown.has(path)),
    [],
  );
  assert.ok(Math.max(...sizes) < 120_000);
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 600_000);
});

test('every page below docs/ can be reached from docs/README.md', async () => {
  const pages = new Map((await pagesOf('docs')).map((page) => [page.path, page]));
  const reached = new Set([join('docs', 'README.md')]);

  // A set hands out what is added while it is walked through.
  for (const path of reached) {
    const page = pages.get(path);
    if (page === undefined) continue;
    for (const target of linksOf(page)) {
      const [file = ''] = target.split('#', 1);
      if (file !== '') reached.add(join(dirname(path), file));
    }
  }

  const lost = [...pages.keys()].filter(
    (path) => !reached.has(path) && !reached.has(dirname(path)),
  );
  assert.deepEqual(lost, []);
});

/** Every call of hookbell in the examples, without the rest of a shell's line. */
function examplesIn({ text }: Page): readonly string[] {
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)]
    .flatMap(([, lines = '']) => lines.split('\n'))
    .map((line) => callOf(line.replace(/^.*\| *(?=hookbell )/, '')))
    .filter((line) => line.startsWith('hookbell '));
}

/** Every call in the running text; a name alone stands there for the command. */
function mentionsIn({ text }: Page): readonly string[] {
  return [...text.matchAll(/`(hookbell [^`]+)`/g)]
    .map(([, call = '']) => callOf(call))
    .filter((call) => !call.includes('…'));
}

function callOf(line: string): string {
  return line.replace(/ +(?:#|<|>|\|).*$/, '');
}

function wordsOf(call: string): readonly string[] {
  return [...call.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)]
    .map(([word]) => word.replaceAll(/["']/g, ''))
    .slice(1);
}

/** What the command line says against these words; null when it takes them. Nothing is carried out. */
async function objection(
  words: readonly string[],
  allowed: readonly string[] = [],
): Promise<string | null> {
  const program = new Command('hookbell')
    .option('--json')
    .option('-q, --quiet')
    .option('-v, --verbose')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const define of await loadCommands([])) define(program, () => () => Promise.resolve());
  try {
    await program.parseAsync(words, { from: 'user' });
    return null;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 || allowed.includes(error.code) ? null : error.message;
  }
}

test('every call of hookbell on the pages below docs/ is one that the command line takes', async () => {
  const pages = await pagesOf('docs');
  const calls: readonly (readonly [string, readonly string[]])[] = [
    ...[...new Set(pages.flatMap(examplesIn))].map((call) => [call, []] as const),
    ...[...new Set(pages.flatMap(mentionsIn))].map(
      (call) => [call, ['commander.missingArgument']] as const,
    ),
  ];

  const refused: string[] = [];
  for (const [call, allowed] of calls) {
    const reason = await objection(wordsOf(call), allowed);
    if (reason !== null) refused.push(`${call}: ${reason}`);
  }

  assert.ok(calls.length > 60);
  assert.deepEqual(refused, []);
});

test('the check of calls refuses a command, an option and a value that there are not', async () => {
  for (const call of ['hookbell rong', 'hookbell doctor --canari', 'hookbell mute --for soon']) {
    assert.notEqual(await objection(wordsOf(call)), null, call);
  }
});

test('every configuration on the pages of channels is accepted without a warning', async () => {
  for (const { path, text } of await pagesOf('docs/channels')) {
    const [first, ...others] = [...text.matchAll(/^```yaml\n([^]*?)^```$/gm)];

    assert.ok(first !== undefined, path);
    for (const [, example = ''] of [first, ...others]) {
      const loaded = await parseConfig(example, path, { catalog: channelCatalog });
      const faults = loaded.ok ? loaded.warnings : loaded.problems;
      assert.deepEqual(faults.map(formatProblem), [], path);
    }
  }
});

test('docs/decisions: each number stands for one decision, in its name and its headline', async () => {
  const pages = (await pagesOf('docs/decisions')).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const numbers = pages.map(({ path }) => /(\d{4})-[\w-]+\.md$/.exec(path)?.[1]);

  assert.deepEqual(
    numbers,
    pages.map((_, index) => String(index + 1).padStart(4, '0')),
  );
  for (const [index, { text }] of pages.entries()) {
    assert.ok(text.startsWith(`# ${numbers[index]}: `), text.split('\n')[0]);
  }
});

test('docs/everyday.md explains every kind and every variable of ours, and the documentation leads there (B12)', async () => {
  const pages = await pagesOf('docs');
  const everyday = pages.find(({ path }) => path === join('docs', 'everyday.md'));
  const index = pages.find(({ path }) => path === join('docs', 'README.md'));
  const rows = [
    ...routedKinds.map((kind) => `| \`${kind}\` `),
    '| `HOOKBELL_CONFIG`',
    '| `HOOKBELL_STATE_DIR`',
  ];

  assert.deepEqual(
    rows.filter((row) => everyday?.text.includes(row) !== true),
    [],
  );
  for (const anchor of anchorsOf(everyday ?? assert.fail('there is no such page')).slice(1)) {
    assert.ok(index?.text.includes(`everyday.md#${anchor}`), anchor);
  }
});

test('no page claims a run on Windows or macOS that test/what-ran.json does not have', async () => {
  const pages = [
    ...(await pagesOf('.')),
    ...(await pagesOf('docs')),
    ...(await pagesOf('packaging')),
  ];
  const ran: Readonly<Record<string, { readonly system: string }>> = JSON.parse(
    await readFile(join(projectRoot, 'test', 'what-ran.json'), 'utf8'),
  );
  const { text: versions } =
    pages.find(({ path }) => path === join('docs', 'versions.md')) ?? assert.fail('no versions');
  const systems = { windows: /\bWindows\b/, macos: /\b(?:macOS|Macs?|WSL)\b/ };
  const isRun = /\b(?:tested|verified|proved|proven|ran on|(?:has|have|was|were|been) run)\b/i;
  const isLimited = /\b(?:Wine|worlds? like|stub|not|never|nothing)\b/i;

  for (const [name, system] of Object.entries(systems)) {
    const { system: recorded } = ran[name] ?? assert.fail(`no run of ${name}`);
    assert.match(recorded, /\b(?:Wine|Linux)\b/, 'a real system was recorded: allow that claim');
    const claims = pages.flatMap(({ path, text }) =>
      text
        .split(/\n|(?<=[.;:]) /)
        .filter((line) => system.test(line) && isRun.test(line) && !isLimited.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    assert.deepEqual(claims, []);
  }
  // Such as "below Wine" of "below Wine 8 with Node 22 for Windows".
  assert.match(versions, /\| Windows +\| below Wine on Linux, with Node 22 \(/);
  assert.match(ran['windows']?.system ?? '', /^below Wine \d+ with Node 22 for Windows$/);
});
