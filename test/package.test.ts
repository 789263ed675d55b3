import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as z from 'zod';

import { projectRoot } from './support/hookbell-home.ts';
import { runProcess } from './support/run-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const Manifest = z.looseObject({ scripts: z.record(z.string(), z.string()) });
const Packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

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

  test('holds the program, its hook and its schema, and neither tests nor what lies about (fault 59)', async () => {
    await using home = await temporaryDirectory();

    const { code, stdout } = await runProcess('npm', ['pack', '--dry-run', '--json'], {
      cwd: projectRoot,
      env: { PATH: process.env['PATH'] ?? '', HOME: home.path },
    });

    assert.equal(code, 0);
    const [{ files }] = Packed.parse(JSON.parse(stdout));
    const paths = files.map(({ path }) => path);
    for (const wanted of [
      'dist/src/cli/main.js',
      'dist/src/daemon/main.js',
      'dist/hooks/hook.js',
      'hooks/hookbell-hook',
      'config/hookbell.schema.json',
      'install.sh',
      'LICENSE',
    ]) {
      assert.ok(paths.includes(wanted), wanted);
    }
    const rooms = /^(dist\/(src|hooks)\/|config\/|hooks\/hookbell-hook$|[\w.]+$)/;
    assert.deepEqual(
      paths.filter((path) => !rooms.test(path) || /\.env|\.npmrc|node_modules/.test(path)),
      [],
    );
  });
});
