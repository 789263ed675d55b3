import assert from 'node:assert/strict';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { resolvePaths } from '../../src/core/paths.ts';
import { findProgram } from '../../src/platform/find-program.ts';
import { projectRoot, until } from '../support/hookbell-home.ts';
import { type LocalRegistry, startLocalRegistry } from '../support/local-registry.ts';
import { packedProject } from '../support/npm-package.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const consumer = `
import { ApiError, createClient, lastDays, type Client } from 'hookbell/client';

const api: Client = createClient({ baseUrl: 'https://api.example.test', apiKey: 'key' });
const days: { readonly startDate: string } = lastDays(7, Date.UTC(2026, 0, 8));
// @ts-expect-error a number is not an address: the types are there, and are not "any"
export const refused = () => createClient({ baseUrl: 1, apiKey: 'key' });
console.log(days.startDate, typeof api.sessions.list, ApiError.prototype instanceof Error);
`;

/** The Node versions of docs/versions.md, each with options of npm under which hookbell has to work. */
const nodes = [
  { name: 'Node 20', path: process.execPath, options: ['--ignore-scripts'] },
  {
    name: 'Node 22',
    path: process.env['HOOKBELL_NODE_22'] ?? 'a Node 22, whose path is in HOOKBELL_NODE_22',
    options: [],
  },
  {
    name: 'Node 24',
    path: process.env['HOOKBELL_NODE_24'] ?? 'a Node 24, whose path is in HOOKBELL_NODE_24',
    options: ['--omit=optional'],
  },
];

const skip =
  process.env['NODE_V8_COVERAGE'] === undefined
    ? needs('tar', 'gzip', 'npm', 'npx', 'sh')
    : 'needs the bundled program, which runs in separate files for coverage';

describe('the package for npm', { skip, timeout: 300_000 }, () => {
  let place: AsyncDisposable & { readonly path: string };
  let registry: LocalRegistry;
  let file: string;
  before(async () => {
    place = await temporaryDirectory();
    registry = await startLocalRegistry(projectRoot);
    file = await packedProject();
  });
  after(async () => {
    await registry[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  /** Of this Node first in PATH, with a separate home directory and cache, and no registry but ours. */
  function environment(node: string): Record<string, string> {
    return {
      PATH: [dirname(node), process.env['PATH'] ?? ''].join(delimiter),
      HOME: place.path,
      LANG: 'C.UTF-8',
      npm_config_registry: registry.url,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    };
  }

  async function npm(node: string, words: readonly string[], program: 'npm' | 'npx' = 'npm') {
    const found = await findProgram(program, process.env['PATH'] ?? '');
    const script = await realpath(found ?? assert.fail(`${program} is not on PATH`));
    return runProcess(node, [script, ...words], { env: environment(node), cwd: place.path });
  }

  for (const { name, path: node, options } of nodes) {
    test(
      `"npm install --global ${['FILE', ...options].join(' ')}" leads to a first notification with ${name}`,
      { skip: skip === false && needs(node) },
      async () => {
        const prefix = join(place.path, name.replace(' ', '-'));
        const program = join(prefix, 'lib/node_modules/hookbell');

        const words = ['install', '--global', file, '--prefix', prefix, ...options];
        const installed = await npm(node, words);
        const said = await runProcess(join(prefix, 'bin/hookbell'), ['--version'], {
          env: environment(node),
        });
        const ring = await runProcess(
          node,
          [join(projectRoot, 'scripts/first-ring.mjs'), program],
          {
            env: environment(node),
          },
        );

        assert.equal(installed.code, 0, installed.stderr);
        assert.match(said.stdout, /^\d+\.\d+\.\d+\n$/, said.stderr);
        assert.deepEqual([ring.code, ring.stderr], [0, ''], ring.stdout);
        assert.match(ring.stdout, /notified: needs\.permission, .*\n.*nothing is left\n$/);
      },
    );
  }

  test('loads SQLite, node-notifier and zod only where they are needed', async () => {
    const program = join(place.path, 'Node-20/lib/node_modules/hookbell');
    const packages = join(program, 'node_modules');
    const ring = join(projectRoot, 'scripts/first-ring.mjs');
    const env = environment(process.execPath);

    for (const name of ['node-notifier', 'zod']) {
      await rm(join(packages, name), { recursive: true });
    }
    const without = await runProcess(process.execPath, [ring, program], { env });
    await rm(join(packages, '@photostructure'), { recursive: true });
    const daemon = await runProcess(
      process.execPath,
      [join(program, 'dist/program/cli.js'), 'daemon'],
      { env },
    );

    assert.deepEqual([without.code, without.stderr], [0, ''], without.stdout);
    // Without the package, a Node that has SQLite would go on to run.
    if (process.versions['sqlite'] !== undefined) return;
    assert.equal(daemon.code, 1);
    assert.match(daemon.stderr, /Cannot load SQLite: Node \S+ has none, and the package/);
    assert.match(daemon.stderr, /use Node 22\.13 or newer/);
  });

  test('"npx hookbell init" leads to a first notification', async () => {
    const project = join(place.path, 'project');
    const home = join(place.path, 'home');
    const lines = join(home, 'out.jsonl');
    const env = { ...environment(process.execPath), HOME: home };
    const { state } = resolvePaths(env, process.platform, home);
    await mkdir(join(home, '.claude'), { recursive: true });
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    const npx = async (...words: readonly string[]) => {
      const script = await realpath((await findProgram('npx', process.env['PATH'] ?? '')) ?? '');
      const from = ['--yes', '--package', file, 'hookbell'];
      return runProcess(process.execPath, [script, ...from, ...words], { env, cwd: project });
    };

    const channel = ['--channel', 'file', '--set', `file.path=${lines}`];
    const begun = await npx('init', '--yes', '--agent', 'claude', ...channel);
    try {
      assert.equal(begun.code, 0, begun.stderr + begun.stdout);
      const settings = await readFile(join(home, '.claude/settings.json'), 'utf8');
      const [, line = ''] = /"command": "([^"]+)"/.exec(settings) ?? [];
      assert.ok(line.endsWith(`--state ${state}`), settings);
      const input = JSON.stringify({
        session_id: 'npx',
        cwd: project,
        hook_event_name: 'Notification',
        message: 'Claude needs your permission to use Bash',
      });
      assert.equal((await runProcess('sh', ['-c', line], { env, input })).code, 0);
      await until(async () =>
        /"sessionId":"npx"/.test(await readFile(lines, 'utf8').catch(() => '')),
      );
    } finally {
      const ended = await npx('uninstall', '--purge', '--yes');
      assert.equal(ended.code, 0, ended.stderr);
    }
  });

  test('"hookbell/client" has its types in a strict project, with moduleResolution node16 and bundler', async () => {
    const project = join(place.path, 'client');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    await writeFile(join(project, 'report.ts'), consumer);
    const run = (...words: readonly string[]) =>
      runProcess(process.execPath, words, { cwd: project, env: environment(process.execPath) });

    const words = ['install', '--prefix', project, '--omit=optional', file];
    const installed = await npm(process.execPath, words);

    assert.equal(installed.code, 0, installed.stderr);
    for (const [moduleResolution, module] of [
      ['bundler', 'esnext'],
      ['node16', 'node16'],
    ] as const) {
      const compilerOptions = {
        strict: true,
        target: 'es2023',
        module,
        moduleResolution,
        types: [],
      };
      const tsconfig = { compilerOptions, files: ['report.ts'] };
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
      const compiled = await run(join(projectRoot, 'node_modules/typescript/bin/tsc'), '-p', '.');
      assert.deepEqual([compiled.code, compiled.stdout], [0, ''], moduleResolution);
    }
    const ran = await run('report.js');
    assert.deepEqual([ran.code, ran.stdout], [0, '2026-01-01 function true\n'], ran.stderr);
  });

  test('fetches only the packages that docs/dependencies.md lists as installed with it', async () => {
    const page = await readFile(join(projectRoot, 'docs/dependencies.md'), 'utf8');

    assert.ok(registry.asked.size > 3);
    for (const name of registry.asked) assert.ok(page.includes(`| ${name} `), name);
  });
});
