import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { resolvePaths } from '../../src/core/paths.ts';
import type { InstallOptions } from '../../src/setup/install.ts';
import { install } from '../../src/setup/install.ts';
import type { RunStep } from '../../src/setup/run-steps.ts';
import { serviceManager } from '../../src/setup/service.ts';
import { removeAgentHooks, uninstall } from '../../src/setup/uninstall.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const STARTER = '# starter\n';

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** A home directory with Claude Code in it, and a checkout with two packages of which one is for development. */
async function machine() {
  const directory = await temporaryDirectory();
  const home = join(directory.path, 'home');
  const checkout = join(directory.path, 'checkout');
  const manifest = {
    version: '1.0.0',
    dependencies: { zod: '4' },
    devDependencies: { typescript: '7' },
    optionalDependencies: { 'not-installed': '1' },
  };
  await write(join(checkout, 'package.json'), JSON.stringify(manifest));
  for (const file of [
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'config/x.yaml',
    'config/icons/hookbell-48.png',
    'config/icons/hookbell.png',
    'config/icons/hookbell.svg',
    'dist/program/hookbell-hook.cjs',
  ]) {
    await write(join(checkout, file), file);
  }
  await write(join(checkout, 'hooks/hookbell-hook'), '#!/bin/sh\n');
  await write(join(checkout, 'hooks/hookbell-ask'), '#!/bin/sh\n');
  await write(join(checkout, 'hooks/hookbell-command'), '#!/bin/sh\n');
  await write(join(checkout, 'dist/program/cli.js'), 'main');
  await write(join(checkout, 'node_modules/zod/index.js'), 'zod');
  await write(join(checkout, 'node_modules/zod/package.json'), '{"version":"4.0.0"}');
  await write(join(checkout, 'node_modules/typescript/tsc.js'), 'tsc');
  await write(join(home, '.claude/settings.json'), '{"model":  "x"}');

  const paths = resolvePaths({}, 'linux', home);
  const ran: string[] = [];
  let refused = '';
  const run: RunStep = (argv) => {
    ran.push(argv.join(' '));
    return Promise.resolve({ ok: argv.at(-1) !== refused, message: '' });
  };
  const service = serviceManager({
    platform: 'linux',
    home,
    user: 'dev',
    uid: 1000,
    ...paths,
    node: '/usr/bin/node',
    main: join(paths.program, 'dist/program/daemon.js'),
    wake: false,
  });
  const places = {
    paths,
    home,
    searchPath: '',
    env: {},
    checkout,
    manifest: join(paths.state, 'install.json'),
    dataHome: join(home, '.local/share'),
    manual: () => Promise.resolve('.TH HOOKBELL 1\n'),
    hook: join(paths.program, 'hooks/hookbell-hook'),
    askHook: join(paths.program, 'hooks/hookbell-ask'),
  };
  const options: InstallOptions = {
    agents: [
      {
        agent: 'claude',
        registration: {
          evidence: ['.claude'],
          programs: [],
          files: [{ path: '.claude/settings.json', shape: 'wrapped' }],
          events: [{ name: 'Stop', timeoutSeconds: 5 }],
          afterwards: null,
        },
      },
    ],
    force: false,
    base: home,
    config: { text: STARTER, isStarter: true, existing: 'keep', secrets: [] },
    service,
    dryRun: false,
  };
  return {
    home,
    checkout,
    paths,
    ran,
    refuse(word: string) {
      refused = word;
    },
    install: (changes: Partial<InstallOptions> = {}) =>
      install({ ...options, ...changes }, places, run),
    uninstall: (changes: { purge?: boolean; dryRun?: boolean } = {}) =>
      uninstall(
        { service, purge: false, dryRun: false, stopDaemon: () => Promise.resolve(), ...changes },
        places,
        run,
      ),
    removeHooks: (agents: readonly string[], dryRun = false) =>
      removeAgentHooks({ agents, dryRun }, places),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Every file below a directory with its content, to compare two states of a home. */
async function snapshot(path: string): Promise<Record<string, string>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const pairs = await Promise.all(
    files.map(async (entry) => {
      const name = join(entry.parentPath, entry.name);
      const text = entry.isSymbolicLink() ? await readlink(name) : await readFile(name, 'utf8');
      return [name, text] as const;
    }),
  );
  return Object.fromEntries(pairs);
}

async function directoriesOf(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** Everything below a directory that the group or others may write to. */
async function openParts(directory: string): Promise<readonly string[]> {
  const names = ['.', ...(await readdir(directory, { recursive: true }))];
  const modes = await Promise.all(
    names.map(async (name) => ({ name, mode: (await stat(join(directory, name))).mode })),
  );
  return modes.filter(({ mode }) => (mode & 0o022) !== 0).map(({ name }) => name);
}

describe('install()', () => {
  test('no other user can write to the program, whatever umask the checkout was made under (D10)', async () => {
    await using place = await machine();
    const { checkout } = place;
    const { program } = place.paths;
    for (const part of ['dist', 'dist/program/cli.js', 'hooks/hookbell-hook', 'node_modules/zod']) {
      await chmod(join(checkout, part), 0o777);
    }

    await place.install();
    assert.deepEqual(await openParts(program), []);

    await chmod(join(program, 'dist/program/cli.js'), 0o777);
    await place.install();
    assert.deepEqual(await openParts(program), []);
  });

  test('copies the program with the packages it runs with, and nothing for development', async () => {
    await using place = await machine();

    await place.install();

    const { program, command } = place.paths;
    assert.equal(await readFile(join(program, 'node_modules/zod/index.js'), 'utf8'), 'zod');
    await assert.rejects(stat(join(program, 'node_modules/typescript')), { code: 'ENOENT' });
    assert.equal(await readlink(command), join(program, 'hooks/hookbell-command'));
  });

  test('says what to do where no agent is found, and only there', async () => {
    await using place = await machine();
    const known = await place.install({ dryRun: true });
    await rm(join(place.home, '.claude'), { recursive: true });

    const alone = await place.install({ dryRun: true });

    const [hooks, ...more] = alone.steps.filter(({ name }) => name === 'hooks');
    assert.deepEqual([hooks?.text, more], ['not found on this machine: claude', []]);
    assert.match(hooks?.advice ?? '', /"--agent NAME"$/);
    assert.ok(known.steps.every(({ name, advice }) => name !== 'hooks' || advice === undefined));
  });

  test('the second run changes nothing and says so', async () => {
    await using place = await machine();
    await place.install();
    const before = await snapshot(place.home);

    const { steps, programChanged } = await place.install();

    assert.deepEqual(await snapshot(place.home), before);
    assert.equal(programChanged, false);
    assert.deepEqual([...new Set(steps.map(({ state }) => state))], ['unchanged']);
  });

  test('a changed program replaces the installed one as a whole', async () => {
    await using place = await machine();
    await place.install();
    await write(join(place.checkout, 'dist/program/cli.js'), 'main 2');
    await rm(join(place.checkout, 'config/x.yaml'));

    const { programChanged } = await place.install();

    assert.equal(programChanged, true);
    const { program } = place.paths;
    assert.equal(await readFile(join(program, 'dist/program/cli.js'), 'utf8'), 'main 2');
    assert.deepEqual(await readdir(join(program, 'config')), ['icons']);
    assert.deepEqual(await readdir(dirname(program)), ['applications', 'hookbell', 'icons', 'man']);
  });

  test('a dry run writes nothing and names every step', async () => {
    await using place = await machine();
    const before = await snapshot(place.home);

    const { steps } = await place.install({ dryRun: true });

    assert.deepEqual(await snapshot(place.home), before);
    assert.deepEqual(
      steps.map(({ name, state }) => (state === 'done' ? name : state)),
      ['program', 'command', 'desktop', 'manual', 'config', 'hooks', 'service'],
    );
  });

  test('makes hookbell known to the desktop and to `man`, and takes only its own files away (B14)', async () => {
    await using place = await machine();
    const share = join(place.home, '.local/share');
    const entry = join(share, 'applications/hookbell.desktop');

    await place.install();

    assert.match(await readFile(entry, 'utf8'), /^Name=hookbell$/m);
    assert.match(await readFile(entry, 'utf8'), /^Exec="\/.*\/hookbell" status$/m);
    for (const icon of ['128x128/apps/hookbell.png', 'scalable/apps/hookbell.svg']) {
      await stat(join(share, 'icons/hicolor', icon));
    }
    assert.equal(await readFile(join(share, 'man/man1/hookbell.1'), 'utf8'), '.TH HOOKBELL 1\n');
    await place.uninstall();
    await assert.rejects(stat(join(share, 'man')), { code: 'ENOENT' });
    await assert.rejects(stat(join(share, 'icons')), { code: 'ENOENT' });
    await assert.rejects(stat(entry), { code: 'ENOENT' });
    await write(entry, 'mine');
    const { steps } = await place.install();
    assert.equal(steps.find(({ name }) => name === 'desktop')?.state, 'skipped');
    assert.equal(await readFile(entry, 'utf8'), 'mine');
  });

  test('keeps a configuration that is there', async () => {
    await using place = await machine();
    await write(place.paths.config, 'channels: {}\n');

    await place.install();

    assert.equal(await readFile(place.paths.config, 'utf8'), 'channels: {}\n');
  });

  test('goes on without a service where the manager does not serve this user', async () => {
    await using place = await machine();
    place.refuse('show-environment');

    const { steps } = await place.install();

    assert.equal(steps.at(-1)?.state, 'skipped');
    await assert.rejects(stat(join(place.home, '.config/systemd')), { code: 'ENOENT' });
  });
});

describe('removeHooks()', () => {
  test('takes out the hooks of one agent, and the rest of the installation stays (B18)', async () => {
    await using place = await machine();
    const settings = join(place.home, '.claude/settings.json');
    const before = (await snapshot(place.home))[settings];
    await place.install();
    const installed = await snapshot(place.home);

    assert.deepEqual(await place.removeHooks(['codex']), []);
    const planned = await place.removeHooks(['claude'], true);
    assert.deepEqual(await snapshot(place.home), installed);
    const [step] = await place.removeHooks(['claude']);

    const after = await snapshot(place.home);
    assert.equal(planned[0]?.text, `claude: ${settings}: would be removed`);
    assert.match(step?.text ?? '', /^claude: /);
    assert.equal(after[settings], before);
    assert.deepEqual(await place.removeHooks(['claude']), []);
    const rest = (files: Record<string, string>): readonly string[] =>
      Object.keys(files).filter((path) => path !== settings && !path.includes('backup'));
    assert.deepEqual(rest(after), rest(installed));
  });
});

describe('uninstall()', () => {
  test('leaves the home as it was, but for what hookbell remembers', async () => {
    await using place = await machine();
    const before = await snapshot(place.home);
    const directories = await directoriesOf(place.home);
    await place.install();
    await write(place.paths.database, 'history');

    await place.uninstall();

    const after = await snapshot(place.home);
    assert.equal(after[place.paths.database], 'history');
    for (const path of Object.keys(after))
      if (path.startsWith(place.paths.state)) delete after[path];
    assert.deepEqual(after, before);
    await rm(join(place.home, '.local'), { recursive: true });
    assert.deepEqual(await directoriesOf(place.home), directories);
  });

  test('with `purge` leaves the home exactly as it was', async () => {
    await using place = await machine();
    const before = await snapshot(place.home);
    const directories = await directoriesOf(place.home);
    await place.install();
    await write(place.paths.database, 'history');

    await place.uninstall({ purge: true });

    assert.deepEqual(await snapshot(place.home), before);
    assert.deepEqual(await directoriesOf(place.home), directories);
  });

  test('with `purge` later leaves nothing behind either, and before that says what is kept', async () => {
    await using place = await machine();
    const before = await snapshot(place.home);
    const directories = await directoriesOf(place.home);
    await place.install();
    await write(place.paths.database, 'history');

    const first = await place.uninstall();
    await place.uninstall({ purge: true });

    assert.ok(
      first.some(({ name, text }) => name === 'kept' && text.startsWith(place.paths.state)),
    );
    assert.deepEqual(await snapshot(place.home), before);
    assert.deepEqual(await directoriesOf(place.home), directories);
  });

  test('keeps a configuration the person edited, and says so', async () => {
    await using place = await machine();
    await place.install();
    await write(place.paths.config, 'mine\n');

    const steps = await place.uninstall();

    assert.equal(await readFile(place.paths.config, 'utf8'), 'mine\n');
    assert.ok(
      steps.some(({ name, text }) => name === 'kept' && text.startsWith(place.paths.config)),
    );
  });

  test('keeps what `init` wrote, also if it was not edited', async () => {
    await using place = await machine();
    const existing = { backup: `${place.paths.config}.old`, worthless: STARTER };
    await place.install({ config: { text: 'chosen\n', isStarter: false, existing, secrets: [] } });

    const steps = await place.uninstall();

    const text = `${place.paths.config}: your configuration`;
    assert.ok(steps.some((step) => step.name === 'kept' && step.text === text));
    assert.equal(await readFile(place.paths.config, 'utf8'), 'chosen\n');
  });

  test('takes the service down before its file goes', async () => {
    await using place = await machine();
    await place.install();
    place.ran.length = 0;

    await place.uninstall();

    assert.deepEqual(place.ran.slice(0, 2), [
      'systemctl --user disable --now hookbell.path',
      'systemctl --user disable --now hookbell.service',
    ]);
    await assert.rejects(stat(join(place.home, '.config/systemd')), { code: 'ENOENT' });
  });

  test('a dry run removes nothing', async () => {
    await using place = await machine();
    await place.install();
    const before = await snapshot(place.home);

    await place.uninstall({ dryRun: true });

    assert.deepEqual(await snapshot(place.home), before);
  });
});
