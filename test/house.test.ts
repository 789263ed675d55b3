import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';

import { execa } from 'execa';

import { projectRoot } from './support/hookbell-home.ts';

const files = readdirSync(join(projectRoot, 'src'), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.ts'));

test('no name is exported by two files of the program: a reader who looks for it finds one', () => {
  const exported = new Map<string, Set<string>>();
  for (const file of files) {
    const text = readFileSync(join(projectRoot, 'src', file), 'utf8');
    const names = text.matchAll(
      /^export (?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm,
    );
    for (const [, name = ''] of names) {
      exported.set(name, (exported.get(name) ?? new Set()).add(file));
    }
  }

  const twice = [...exported].filter(([, owners]) => owners.size > 1);
  assert.ok(exported.size > 1_000);
  assert.deepEqual(
    twice.map(([name, owners]) => `${name}: ${[...owners].join(', ')}`),
    [],
  );
});

test('no folder of the program holds more than thirty files: a reader sees them at a glance', () => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);

  assert.deepEqual(
    [...counts].filter(([, count]) => count > 30),
    [],
  );
});

test('each room begins at a file whose first lines say what must never enter', () => {
  const page = readFileSync(join(projectRoot, 'ARCHITECTURE.md'), 'utf8');
  const entries = new Map(
    [...page.matchAll(/\[(\w+)\]\(src\/(\1\/[\w-]+\.ts)\)/g)].map(([, room, file = '']) => [
      room,
      file,
    ]),
  );
  const rooms = new Set(files.map((file) => file.split('/')[0]));

  const silent = [...rooms].filter((room) => {
    const text = readFileSync(join(projectRoot, 'src', entries.get(room) ?? 'none'), 'utf8');
    const [, lines = ''] = /^(?:#!.*\n)?\/\*\n((?: \* .*\n){1,3}) \*\/\n/.exec(text) ?? [];
    return !/\bnever enters?\.\n$/.test(lines);
  });
  assert.equal(rooms.size, 20);
  assert.deepEqual(silent, []);
});

test('a file of the program is named for what it holds: no utils, helpers or misc', () => {
  const vague = /^(?:utils?|helpers?|misc|common|shared|lib)\.ts$/;
  assert.deepEqual(
    files.filter((file) => vague.test(basename(file))),
    [],
  );
});

test('a file that a comment names is there', () => {
  const gone = files.flatMap((file) => {
    const text = readFileSync(join(projectRoot, 'src', file), 'utf8');
    const comments = text.match(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm)?.join('\n') ?? '';
    const named = [...comments.matchAll(/(?<![\w/.:-])[\w-]+(?:\/[\w-]+)*\.(?:ts|md)\b/g)];
    const bases = ['', 'src', 'docs', 'hooks', join('src', dirname(file))];
    // Examples of what an agent changes, and a file of the agent itself.
    const foreign = new Set([
      'src/cart.ts',
      'src/till.ts',
      'packages/core/src/hooks/hookSystem.ts',
    ]);
    return named
      .map(([path]) => path)
      .filter(
        (path) =>
          !foreign.has(path) && !bases.some((base) => existsSync(join(projectRoot, base, path))),
      )
      .map((path) => `${file}: ${path}`);
  });

  assert.deepEqual(gone, []);
});

test('every file is formatted as `npm run format` does', async () => {
  const formatter = join(projectRoot, 'node_modules', '.bin', 'oxfmt');

  const { all, exitCode } = await execa(formatter, ['--check', '.'], {
    cwd: projectRoot,
    all: true,
    reject: false,
  });

  assert.equal(exitCode, 0, all);
});
