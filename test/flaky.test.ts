import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { projectRoot } from './support/hookbell-home.ts';
import type { Finished } from './support/run-process.ts';
import { runProcess } from './support/run-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

describe('scripts/test.mjs', () => {
  const fails = "throw new Error('It is broken')";
  const passesLater = (path: string): string =>
    `const seen = fs.existsSync('${path}'); fs.writeFileSync('${path}', ''); if (!seen) ${fails};`;

  test('reports a test as flaky that fails, and passes when it runs again by itself', async () => {
    await using place = await temporaryDirectory();
    const { code, stdout, stderr } = await runTests({
      good: '',
      'a/shaky': passesLater(join(place.path, 'a')),
      'e2e/shaky': passesLater(join(place.path, 'b')),
    });

    assert.equal(code, 0, stdout + stderr);
    const [, names = ''] =
      /^FLAKY: failed at first, and passed when run again: (.+)$/m.exec(stdout) ?? [];
    assert.deepEqual(new Set(names.split(', ')), new Set(['a/shaky.test.js', 'e2e/shaky.test.js']));
  });

  test('fails when a test fails twice, its process dies, or more than three files fail', async () => {
    const dies = 'process.exit(3)';
    for (const tests of [
      { bad: fails, good: '' },
      { 'e2e/dead': dies, 'e2e/good': '' },
    ]) {
      const { code, stdout } = await runTests(tests);
      assert.notEqual(code, 0, stdout);
      assert.match(stdout, /^Running again/m);
      assert.doesNotMatch(stdout, /FLAKY/);
    }
    const many = await runTests({ a: fails, b: fails, c: fails, d: fails });
    assert.notEqual(many.code, 0);
    assert.doesNotMatch(many.stdout, /Running again/);
  });
});

/** A project of these tests, with the real script; each test is a body. */
async function runTests(tests: Readonly<Record<string, string>>): Promise<Finished> {
  await using place = await temporaryDirectory();
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(place.path, path)), { recursive: true });
    await writeFile(join(place.path, path), text);
  };
  for (const name of ['test', 'test-lists', 'run-files']) {
    const path = `scripts/${name}.mjs`;
    await put(path, readFileSync(join(projectRoot, path), 'utf8'));
  }
  await put('package.json', '{ "type": "module" }');
  await put('dist/src/a.js', '');
  await put('dist/program/daemon.js', '');
  for (const [name, body] of Object.entries(tests)) {
    const imports = "import { test } from 'node:test'; import fs from 'node:fs';";
    await put(`dist/test/${name}.test.js`, `${imports}\ntest('${name}', () => { ${body} });\n`);
  }
  const env = { PATH: process.env['PATH'] ?? '' };
  return await runProcess(process.execPath, [join(place.path, 'scripts/test.mjs')], { env });
}
