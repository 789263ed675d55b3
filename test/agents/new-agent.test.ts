import assert from 'node:assert/strict';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** What the script reads and changes. */
const files = [
  '.oxfmtrc.json',
  'scripts/new-agent.mjs',
  'src/core/hook-event.ts',
  'src/agents/registry.ts',
  'src/agents/claude/vocabulary.ts',
  'test/fixtures/payloads/expected.json',
];

/** A project in which the script can be run. */
async function openProject() {
  const directory = await temporaryDirectory();
  const at = (path: string): string => join(directory.path, path);
  for (const file of files) {
    await mkdir(dirname(at(file)), { recursive: true });
    await cp(join(projectRoot, file), at(file));
  }
  await symlink(join(projectRoot, 'node_modules'), at('node_modules'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory.path };
  return {
    newAgent: (...words: readonly string[]) =>
      runProcess(process.execPath, [at('scripts/new-agent.mjs'), ...words], { env }),
    text: (path: string) => readFile(at(path), 'utf8'),
    async lastPayload() {
      const rows: readonly { readonly file: string; readonly kind: string }[] = JSON.parse(
        await readFile(at('test/fixtures/payloads/expected.json'), 'utf8'),
      );
      return { file: rows.at(-1)?.file, kind: rows.at(-1)?.kind };
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const named = ['--label', "Dev's Agent", '--file', '.example/settings.json', '--source', 'x'];

test('npm run new:agent writes the folder of an agent, its lines in both lists, and a payload', async () => {
  await using project = await openProject();
  const { text } = project;

  const { code, stderr } = await project.newAgent('example', ...named);

  assert.deepEqual([code, stderr], [0, '']);
  assert.match(await text('src/core/hook-event.ts'), /example: "Dev's Agent",\n {2}program:/);
  assert.match(
    await text('src/agents/registry.ts'),
    /import example[^]* {2}example,\n {2}program,/,
  );
  assert.match(await text('src/agents/example/index.ts'), /path: '\.example\/settings\.json'/);
  assert.match(await text('src/agents/example/vocabulary.ts'), /exampleVocabulary: Vocabulary/);
  assert.deepEqual(await project.lastPayload(), { file: 'example/Stop-1.json', kind: 'turn.done' });
});

test('npm run new:agent takes events that Claude Code does not have with their kinds', async () => {
  await using project = await openProject();

  const events = ['--events', 'Stop,Waiting=needs.input'];
  const { code, stderr } = await project.newAgent('example', ...named, ...events);

  assert.deepEqual([code, stderr], [0, '']);
  const vocabulary = await project.text('src/agents/example/vocabulary.ts');
  assert.match(vocabulary, /\.\.\.wordsFrom\(claudeVocabulary\.events, 'Stop'\)/);
  assert.match(vocabulary, /Waiting: means\('needs\.input', /);
  assert.match(
    await project.text('src/agents/example/index.ts'),
    /silentAbout: \['needs\.permission', 'turn\.failed', 'turn\.interrupted', 'subagent\.done'\]/,
  );
  const last = { file: 'example/Waiting-1.json', kind: 'needs.input' };
  assert.deepEqual(await project.lastPayload(), last);
});

test('npm run new:agent says what is wrong with its words, and writes nothing', async () => {
  await using project = await openProject();
  const before = await project.text('src/agents/registry.ts');

  for (const [words, reason] of [
    [['My-Agent', ...named], 'NAME is "My-Agent", expected lower-case letters and digits'],
    [['example', ...named.slice(2)], '--label is missing'],
    [['example', ...named, '--events', 'Waiting'], 'Claude Code has no event "Waiting"'],
    [['example', ...named, '--events', 'Waiting=wait'], '"wait" is not a kind, expected one of:'],
    [['claude', ...named], 'src/agents/claude exists already'],
    [['example', ...named, '--none'], "Unknown option '--none'"],
  ] as const) {
    const { code, stdout, stderr } = await project.newAgent(...words);

    assert.deepEqual([code, stdout], [2, ''], reason);
    assert.ok(stderr.startsWith(`Cannot add an agent: ${reason}`), stderr);
    assert.match(stderr, /\nRun: npm run new:agent -- --help\n$/);
  }
  assert.equal(await project.text('src/agents/registry.ts'), before);
});
