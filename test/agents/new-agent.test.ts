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
  'test/fixtures/payloads/expected.json',
];

test('npm run new:agent writes the folder of an agent, its lines in both lists, and a payload', async () => {
  await using directory = await temporaryDirectory();
  const at = (path: string): string => join(directory.path, path);
  for (const file of files) {
    await mkdir(dirname(at(file)), { recursive: true });
    await cp(join(projectRoot, file), at(file));
  }
  await symlink(join(projectRoot, 'node_modules'), at('node_modules'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory.path };
  const words = ['--label', "Dev's Agent", '--file', '.example/settings.json', '--source', 'x'];

  const { code, stderr } = await runProcess(
    process.execPath,
    [at('scripts/new-agent.mjs'), 'example', ...words],
    { env },
  );

  assert.deepEqual([code, stderr], [0, '']);
  const text = async (path: string): Promise<string> => readFile(at(path), 'utf8');
  assert.match(await text('src/core/hook-event.ts'), /example: "Dev's Agent",\n {2}program:/);
  assert.match(
    await text('src/agents/registry.ts'),
    /import example[^]* {2}example,\n {2}program,/,
  );
  assert.match(await text('src/agents/example/index.ts'), /path: '\.example\/settings\.json'/);
  assert.match(await text('src/agents/example/vocabulary.ts'), /exampleVocabulary: Vocabulary/);
  const rows: readonly { readonly file: string }[] = JSON.parse(
    await text('test/fixtures/payloads/expected.json'),
  );
  assert.equal(rows.at(-1)?.file, 'example/Stop-1.json');
});
