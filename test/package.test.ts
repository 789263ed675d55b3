import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as z from 'zod';

import { projectRoot } from './support/hookbell-home.ts';
import { runProcess } from './support/run-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const Manifest = z.looseObject({ scripts: z.record(z.string(), z.string()) });
/** The registries are those of the user who installs, so the file names none. */
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
      integrity: z.string().optional(),
    }),
  ),
});
const Packed = z.tuple([
  z.object({ size: z.number(), files: z.array(z.object({ path: z.string() })) }),
]);
const MOST_BYTES = 3_000_000;

describe('the package', () => {
  test('runs nothing when it is installed (P3, fault 59)', async () => {
    const { scripts } = Manifest.parse(
      JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')),
    );

    const hooks = ['preinstall', 'install', 'postinstall', 'prepublish', 'prepare'];
    assert.deepEqual(
      hooks.filter((name) => scripts[name] !== undefined),
      [],
    );
  });

  test('needs no install script of any package, and locks each to its content (P3, T20, fault 59)', async () => {
    const { packages } = Lock.parse(
      JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8')),
    );
    const shipped = Object.entries(packages).filter(
      ([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true,
    );
    const named = (wanted: (entry: (typeof shipped)[number][1]) => boolean): readonly string[] =>
      shipped.filter(([, entry]) => wanted(entry)).map(([path]) => path);

    // It compiles where its package brings no binary for the machine, and Node has no built-in SQLite.
    const sqlite = 'node_modules/@photostructure/sqlite';
    assert.deepEqual(
      named(({ hasInstallScript }) => hasInstallScript === true),
      [sqlite],
    );
    const binaries = await readdir(join(projectRoot, sqlite, 'prebuilds'));
    assert.ok(binaries.includes('linux-x64') && binaries.includes('darwin-arm64'));
    assert.deepEqual(
      named(({ integrity }) => integrity?.startsWith('sha512-') !== true),
      [],
    );
  });

  test('holds the program, its hook and its schema, and neither tests nor what lies about (fault 59)', async () => {
    await using home = await temporaryDirectory();

    const { code, stdout } = await runProcess('npm', ['pack', '--dry-run', '--json'], {
      cwd: projectRoot,
      env: { PATH: process.env['PATH'] ?? '', HOME: home.path },
    });

    assert.equal(code, 0);
    const [{ files, size }] = Packed.parse(JSON.parse(stdout));
    assert.ok(size <= MOST_BYTES, `${size} bytes, packed`);
    const paths = files.map(({ path }) => path);
    for (const wanted of [
      'dist/program/cli.js',
      'dist/program/daemon.js',
      'dist/program/hookbell-hook.cjs',
      'hooks/hookbell-hook',
      'hooks/hookbell-ask',
      'hooks/hookbell-command',
      'config/hookbell.schema.json',
      'dist/program/licences.txt',
      'dist/src/vendor/client/index.d.ts',
      'LICENSE',
    ]) {
      assert.ok(paths.includes(wanted), wanted);
    }
    const rooms = /^(dist\/(program|src)\/|config\/|hooks\/hookbell-(hook|ask|command)$|[\w.]+$)/;
    assert.deepEqual(
      paths.filter((path) => !rooms.test(path) || /\.env|\.npmrc|node_modules/.test(path)),
      [],
    );
    for (const path of paths.filter((name) => /\.(?:js|cjs|json|sh|md|ts)$/.test(name))) {
      const text = await readFile(join(projectRoot, path), 'utf8');
      assert.ok(!text.includes(projectRoot), `"${path}" names a directory of this machine`);
    }
  });
});
