import assert from 'node:assert/strict';
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { compilePrograms, partsIn } from '../../src/platform/program-parts.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const STARTS = 'globalThis.startsOfParts = (globalThis.startsOfParts ?? 0) + 1;';

/** A program of two parts, compiled. */
async function compiledProgram() {
  const directory = await temporaryDirectory();
  const folder = join(directory.path, 'lamp-parts');
  await mkdir(folder);
  await writeFile(join(folder, 'main.cjs'), STARTS);
  await writeFile(
    join(folder, 'lamp.cjs'),
    "const { colour } = require('./colour.cjs'); exports.say = () => `${colour} ${require('node:path').sep}`;",
  );
  await writeFile(join(folder, 'colour.cjs'), "exports.colour = 'green';");
  compilePrograms(directory.path);
  return { folder, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

function say(parts: ReturnType<typeof partsIn>): string {
  const lamp = parts.load('lamp.cjs');
  assert.ok(typeof lamp === 'object' && lamp !== null && 'say' in lamp);
  assert.ok(typeof lamp.say === 'function');
  return String(lamp.say());
}

test('compilePrograms() starts no program, and its code is used', async () => {
  await using program = await compiledProgram();
  const parts = partsIn(program.folder);

  assert.equal(say(parts), 'green /');
  assert.deepEqual([...parts.ready].toSorted(), ['colour.cjs', 'lamp.cjs']);
  assert.equal(Reflect.get(globalThis, 'startsOfParts'), undefined);
});

test('a part is run once', async () => {
  await using program = await compiledProgram();
  const { load } = partsIn(program.folder);

  assert.equal(load('lamp.cjs'), load('lamp.cjs'));
});

for (const [name, spoil] of [
  ['cut off, as after a power cut', (code: string) => truncate(code, 500)],
  ['empty', (code: string) => truncate(code)],
  [
    'changed in one byte',
    async (code: string) => {
      const bytes = await readFile(code);
      bytes[200] = (bytes[200] ?? 0) ^ 1;
      await writeFile(code, bytes);
    },
  ],
  [
    'of a text of the same length',
    (code: string) => writeFile(code.replace('.code', '.cjs'), "exports.colour = 'amber';"),
  ],
] as const) {
  test(`code that is ${name} is not used`, async () => {
    await using program = await compiledProgram();
    await spoil(join(program.folder, 'colour.code'));
    const parts = partsIn(program.folder);

    assert.match(say(parts), /^(green|amber) \/$/);
    assert.deepEqual([...parts.ready], ['lamp.cjs']);
    if (name.startsWith('of a text')) assert.equal(say(parts), 'amber /');
  });
}

test('a stack trace names the place in the file', async () => {
  await using program = await compiledProgram();
  await writeFile(join(program.folder, 'dark.cjs'), "  throw new Error('no light');");

  assert.throws(
    () => partsIn(program.folder).load('dark.cjs'),
    (error: Error) => error.stack?.includes(`${program.folder}/dark.cjs:1:9`) === true,
  );
});

test('the daemon of this build uses compiled code', async (t) => {
  const folder = join(projectRoot, 'dist/program');
  const parts = await readFile(join(folder, 'parts.cjs'), 'utf8').catch(() => null);
  if (parts === null) return t.skip('The programs load single modules, to measure coverage');
  // In a separate process, as the compiler's flags count.
  const ask = `
    const { partsIn } = require(${JSON.stringify(join(folder, 'parts.cjs'))});
    const folder = ${JSON.stringify(join(folder, 'daemon-parts'))};
    const { load, ready } = partsIn(folder);
    const initial = require('fs').readdirSync(folder).find((name) => /^initial-.*cjs$/.test(name));
    load(initial);
    console.log(ready.has(initial));`;

  const { stdout, stderr } = await runProcess(process.execPath, ['-e', ask], { env: {} });

  assert.deepEqual([stdout, stderr], ['true\n', '']);
});
