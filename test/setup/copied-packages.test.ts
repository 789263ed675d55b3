import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import {
  copiedPackages,
  isForOtherSystem,
  type TargetSystem,
} from '../../src/setup/copied-packages.ts';
import { projectRoot } from '../support/hookbell-home.ts';

const sqlite = 'node_modules/@photostructure/sqlite';
const notifier = 'node_modules/node-notifier/vendor';

async function names(options: Parameters<typeof copiedPackages>[1]): Promise<readonly string[]> {
  return (await copiedPackages(projectRoot, options)).map(({ to }) => to);
}

function kept(system: TargetSystem, ...paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !isForOtherSystem(path, system));
}

describe('copiedPackages()', () => {
  test('leaves SQLite out, with what only it needs, where Node has it', async () => {
    const without = await names({ hasSqlite: true });

    assert.ok(without.includes('node_modules/node-notifier'));
    assert.deepEqual(
      without.filter((name) => /sqlite|node-gyp-build/.test(name)),
      [],
    );
    assert.ok((await names({ hasSqlite: false })).includes(sqlite));
    assert.ok((await names({ hasSqlite: true, anyNode: true })).includes(sqlite));
  });
});

describe('isForOtherSystem()', () => {
  const linux = { platform: 'linux', arch: 'x64', isWsl: false } as const;

  test('keeps the programs of this system only, and no sources', () => {
    const all = [
      `${sqlite}/prebuilds/linux-x64/@photostructure+sqlite.glibc.node`,
      `${sqlite}/prebuilds/linux-arm64/@photostructure+sqlite.glibc.node`,
      `${sqlite}/prebuilds/darwin-arm64/@photostructure+sqlite.glibc.node`,
      `${sqlite}/prebuilds/win32-x64`,
      `${sqlite}/src/upstream/sqlite3.c`,
      `${sqlite}/dist/index.cjs`,
      `${notifier}/mac.noindex/terminal-notifier.app/Contents/PkgInfo`,
      `${notifier}/snoreToast/snoretoast-x64.exe`,
      'node_modules/zod/v4/index.js',
      'node_modules/zod/src/index.ts',
    ] as const;
    const always = [all[5], all[8]];

    assert.deepEqual(kept(linux, ...all), [all[0], ...always]);
    assert.deepEqual(kept({ ...linux, isWsl: true }, ...all), [all[0], all[5], all[7], all[8]]);
    assert.deepEqual(kept({ platform: 'darwin', arch: 'arm64', isWsl: false }, ...all), [
      all[2],
      all[5],
      all[6],
      all[8],
    ]);
    const windows = all.map((path) => path.replaceAll('/', '\\'));
    assert.deepEqual(kept({ platform: 'win32', arch: 'x64', isWsl: false }, ...windows), [
      windows[3],
      windows[5],
      windows[7],
      windows[8],
    ]);
  });

  test('knows every folder that the two packages bring', async () => {
    const prebuilds = await readdir(join(projectRoot, sqlite, 'prebuilds'));
    const own = prebuilds.filter((name) => !isForOtherSystem(`${sqlite}/prebuilds/${name}`, linux));
    const vendors = await readdir(join(projectRoot, notifier));

    assert.deepEqual(own, ['linux-x64']);
    for (const name of vendors) assert.ok(isForOtherSystem(`${notifier}/${name}`, linux), name);
    assert.ok((await stat(join(projectRoot, sqlite, 'dist'))).isDirectory());
  });
});
