import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { runtimePackages } from '../../src/setup/runtime-packages.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Needs {
  readonly dependencies?: readonly string[];
  readonly optionalDependencies?: readonly string[];
  readonly devDependencies?: readonly string[];
}

/** Packages with the given needs, by their folder. */
async function tree(packages: Readonly<Record<string, Needs>>) {
  const directory = await temporaryDirectory();
  const root = await realpath(directory.path);
  for (const [folder, needs] of Object.entries(packages)) {
    const manifest = Object.fromEntries(
      Object.entries(needs).map(([kind, names]: [string, readonly string[]]) => [
        kind,
        Object.fromEntries(names.map((name) => [name, '*'])),
      ]),
    );
    await mkdir(join(root, folder), { recursive: true });
    const text = JSON.stringify({ version: `1.0.0-${folder.length}`, ...manifest });
    await writeFile(join(root, folder, 'package.json'), text);
  }
  return {
    root,
    async copies(program: string) {
      const found = await runtimePackages(join(root, program));
      return found.map(({ from, to }) => [from.slice(root.length + 1), to]);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

describe('runtimePackages()', () => {
  test('finds what a checkout needs, and what that needs, but nothing for development', async () => {
    await using place = await tree({
      hookbell: {
        dependencies: ['a'],
        optionalDependencies: ['b', 'gone'],
        devDependencies: ['d'],
      },
      'hookbell/node_modules/a': {},
      'hookbell/node_modules/b': { dependencies: ['@s/c'] },
      'hookbell/node_modules/@s/c': {},
      'hookbell/node_modules/d': {},
    });

    assert.deepEqual(await place.copies('hookbell'), [
      ['hookbell/node_modules/a', 'node_modules/a'],
      ['hookbell/node_modules/b', 'node_modules/b'],
      ['hookbell/node_modules/@s/c', 'node_modules/@s/c'],
    ]);
  });

  test('finds packages beside the program, where "npx" puts them', async () => {
    await using place = await tree({
      'node_modules/hookbell': { dependencies: ['a'] },
      'node_modules/a': { dependencies: ['b'] },
      'node_modules/b': { dependencies: ['a'] },
    });

    assert.deepEqual(await place.copies('node_modules/hookbell'), [
      ['node_modules/a', 'node_modules/a'],
      ['node_modules/b', 'node_modules/b'],
    ]);
  });

  test('keeps two versions of a package apart, and copies no nested one twice', async () => {
    await using place = await tree({
      'node_modules/hookbell': { dependencies: ['a', 'b'] },
      'node_modules/hookbell/node_modules/b': {},
      'node_modules/a': { dependencies: ['b', 'c'] },
      'node_modules/b': {},
      'node_modules/a/node_modules/c': { dependencies: ['e'] },
      'node_modules/e': {},
    });

    assert.deepEqual(await place.copies('node_modules/hookbell'), [
      ['node_modules/a', 'node_modules/a'],
      ['node_modules/hookbell/node_modules/b', 'node_modules/b'],
      ['node_modules/b', 'node_modules/a/node_modules/b'],
      ['node_modules/e', 'node_modules/e'],
    ]);
  });

  test('follows the links of a store, as pnpm makes it', async () => {
    await using place = await tree({
      'store/hookbell@1/node_modules/hookbell': { dependencies: ['a'] },
      'store/a@1/node_modules/a': { dependencies: ['b'] },
      'store/b@1/node_modules/b': {},
    });
    const at = (path: string) => join(place.root, path);
    await symlink(at('store/a@1/node_modules/a'), at('store/hookbell@1/node_modules/a'));
    await symlink(at('store/b@1/node_modules/b'), at('store/a@1/node_modules/b'));
    await mkdir(at('node_modules'));
    await symlink(at('store/hookbell@1/node_modules/hookbell'), at('node_modules/hookbell'));

    assert.deepEqual(await place.copies('node_modules/hookbell'), [
      ['store/a@1/node_modules/a', 'node_modules/a'],
      ['store/b@1/node_modules/b', 'node_modules/b'],
    ]);
  });
});
