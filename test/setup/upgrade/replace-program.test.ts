import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import { replaceProgram } from '../../../src/setup/upgrade/replace-program.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function copyOf(version: string, folder: string): Promise<void> {
  await mkdir(join(folder, 'hooks'), { recursive: true });
  await mkdir(join(folder, 'dist/program'), { recursive: true });
  await writeFile(join(folder, 'hooks/hookbell-hook'), `#!/bin/sh\necho ${version}\n`, {
    mode: 0o755,
  });
  await writeFile(join(folder, 'dist/program/cli.js'), version);
  await writeFile(join(folder, `only-in-${version}`), '');
}

describe('replaceProgram()', () => {
  test('agents find a whole hook at every moment of 300 upgrades', async () => {
    await using place = await temporaryDirectory();
    const program = join(place.path, 'hookbell');
    await copyOf('0', program);
    const hook = join(program, 'hooks/hookbell-hook');
    const script = `while [ ! -e "$1" ]; do v=$("$2") && [ -n "$v" ] || echo missing; echo run; done`;
    const agent = spawn('sh', ['-c', script, 'sh', join(place.path, 'stop'), hook]);
    const said = text(agent.stdout);
    await once(agent.stdout, 'readable');

    for (let version = 1; version <= 300; version += 1) {
      await copyOf(String(version), `${program}.new`);
      await replaceProgram(`${program}.new`, program);
    }
    await writeFile(join(place.path, 'stop'), '');

    const lines = (await said).split('\n').filter((line) => line !== 'run' && line !== '');
    assert.deepEqual(lines, []);
    assert.equal(await readFile(join(program, 'dist/program/cli.js'), 'utf8'), '300');
    assert.deepEqual((await readdir(program)).toSorted(), ['dist', 'hooks', 'only-in-300']);
    assert.deepEqual((await readdir(place.path)).toSorted(), ['hookbell', 'stop']);
  });

  test('a link to a checkout is replaced, and the checkout stays', async () => {
    await using place = await temporaryDirectory();
    const program = join(place.path, 'hookbell');
    await copyOf('1', join(place.path, 'checkout'));
    await symlink(join(place.path, 'checkout'), program);
    await copyOf('2', `${program}.new`);

    await replaceProgram(`${program}.new`, program);

    await access(join(place.path, 'checkout/only-in-1'));
    assert.equal(await readFile(join(program, 'dist/program/cli.js'), 'utf8'), '2');
  });
});
