import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { copyProgram } from '../../src/setup/installed-program.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const program = `
import { ApiError, createClient, lastDays } from 'hookbell/client';

const api = createClient({ baseUrl: 'https://api.example.test', apiKey: 'key' });
const days: { readonly startDate: string } = lastDays(7, Date.UTC(2026, 0, 8));
const isFunction: boolean = typeof api.sessions.list === 'function';
console.log(days.startDate, isFunction, ApiError.prototype instanceof Error);
`;

test(
  'hookbell/client can be imported from an installed copy, with its types (B16)',
  {
    timeout: 120_000,
    skip:
      process.env['NODE_V8_COVERAGE'] !== undefined &&
      'needs the bundled program, which runs in separate files for coverage',
  },
  async () => {
    await using directory = await temporaryDirectory();
    const installed = join(directory.path, '.local/share/hookbell');
    const project = join(directory.path, 'project');
    await copyProgram(projectRoot, installed);
    await mkdir(join(project, 'node_modules'), { recursive: true });
    // As "npm install ~/.local/share/hookbell" links it.
    await symlink(installed, join(project, 'node_modules/hookbell'));
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    await writeFile(join(project, 'report.ts'), program);
    const compilerOptions = {
      strict: true,
      target: 'es2023',
      module: 'nodenext',
      skipLibCheck: true,
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const run = (...words: readonly string[]) =>
      runProcess(process.execPath, words, { cwd: project, env: { HOME: directory.path } });

    const compiled = await run(
      join(projectRoot, 'node_modules/typescript/bin/tsc'),
      '--project',
      '.',
    );
    const ran = await run('report.js');

    assert.deepEqual([compiled.code, compiled.stdout], [0, '']);
    assert.deepEqual([ran.code, ran.stderr], [0, '']);
    assert.match(ran.stdout, /^2025-\d\d-\d\d|^2026-01-\d\d/);
    assert.match(ran.stdout, /true true/);
  },
);
