import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { NEWEST_SCHEMA } from '../../src/core/store-aging.ts';
import { busyHooks, sessionsOf } from '../support/busy-hooks.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { type LocalRegistry, startLocalRegistry } from '../support/local-registry.ts';
import { packRelease } from '../support/npm-package.ts';
import { type Finished, runProcess } from '../support/run-process.ts';
import { chooseSeed, rounds } from '../support/seeded-random.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const OLD = '0.0.9';
const NEXT = '9.9.9';
/** A registry that nothing listens on: the port is that of "discard". */
const NOWHERE = 'http://127.0.0.1:9';

function ok({ code, stdout, stderr }: Finished): string {
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  return stdout;
}

interface Person {
  readonly place: HookbellHome;
  /** Where npm puts commands. */
  readonly bin: string;
  /** The package that npm has installed. */
  readonly global: string;
  /** Runs a program, such as npm, in the directory of a project. */
  readonly run: (program: string, ...words: readonly string[]) => Promise<Finished>;
  /** Runs the copy of the program, which the hooks belong to. */
  readonly hookbell: (...words: readonly string[]) => Promise<Finished>;
  readonly version: () => Promise<string>;
  readonly settings: (agent: 'claude' | 'gemini') => string;
}

async function versionOf(folder: string): Promise<string> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version;
}

/** The line that Claude Code runs. */
async function registeredLine({ settings }: Person): Promise<string> {
  const [, line] = /"command": "([^"]+)"/.exec(await readFile(settings('claude'), 'utf8')) ?? [];
  return line ?? assert.fail('no hook is registered');
}

/** Entries of events that only the newer version registers stay: a user may have added them, and they do no harm. */
async function isOld({ version }: Person): Promise<void> {
  assert.equal(await version(), OLD);
}

/** A registry on the loopback whose latest version is the last of these. */
async function registryWith(...files: readonly string[]): Promise<LocalRegistry> {
  const registry = await startLocalRegistry(projectRoot);
  for (const file of files) await registry.publish(file);
  return registry;
}

/** Someone with two agents, whose package managers keep global packages in the home directory and know no registry but this one. */
async function person(registry: LocalRegistry): Promise<Person & AsyncDisposable> {
  const place = await hookbellHome();
  const { home } = place;
  const bin = join(home, '.npm-global/bin');
  const places = ['.local/share/pnpm/bin', '.yarn/prefix/bin', '.bun/bin'].map((path) =>
    join(home, path),
  );
  const env = {
    ...place.env,
    PATH: [...places, place.env['PATH'], managersPath].join(delimiter),
    PNPM_HOME: join(home, '.local/share/pnpm'),
    npm_config_fetch_retries: '0',
  };
  // As root, Yarn would otherwise write to /usr/local.
  const folders = ['prefix', 'global-folder', 'cache-folder'].map(
    (name) => `${name} "${home}/.yarn/${name}"`,
  );
  await writeFile(join(home, '.yarnrc'), `registry "${registry.url}"\n${folders.join('\n')}\n`);
  const lines = [
    `registry=${registry.url}`,
    `prefix=${join(home, '.npm-global')}`,
    ...['audit', 'fund', 'update-notifier'].map((name) => `${name}=false`),
  ];
  await writeFile(join(home, '.npmrc'), `${lines.join('\n')}\n`);
  // A project must not choose where hookbell comes from.
  const project = join(home, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{}');
  await writeFile(join(project, '.npmrc'), `registry=${NOWHERE}\n`);
  for (const agent of ['claude', 'gemini']) {
    await mkdir(join(home, `.${agent}`));
    await writeFile(join(home, `.${agent}/settings.json`), '{}');
  }
  return {
    place,
    bin,
    global: join(home, '.npm-global/lib/node_modules/hookbell'),
    run: (program, ...words) => runProcess(program, words, { env, cwd: home }),
    hookbell: (...words) =>
      runProcess(join(home, '.local/bin/hookbell'), words, {
        env,
        cwd: project,
      }),
    version: async () => (await place.ask('GET /v1/status')).version,
    settings: (agent) => join(home, `.${agent}/settings.json`),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

const agents = ['--agent', 'claude', '--agent', 'gemini', '--yes'] as const;

/**
 * Upgrades while hooks run without a pause, and checks that the daemon of the next version has every event, and that only
 * the settings that have to change were changed.
 */
async function upgradeUnderLoad(who: Person, upgrade: () => Promise<Finished>): Promise<string> {
  const { place, settings } = who;
  const { pid } = await place.ask('GET /v1/status');
  const kept = await stat(settings('claude'));

  const sending = busyHooks(place, await registeredLine(who));
  const said = await upgrade();
  const soFar = sending.sent.length;
  await until(() => sending.sent.length > Math.max(soFar, 20));
  await sending.stop();

  const stdout = ok(said);
  assert.deepEqual(sending.failures, []);
  const status = await place.ask('GET /v1/status');
  assert.deepEqual([status.version, status.pid === pid], [NEXT, false]);
  const { mtimeMs, ino } = await stat(settings('claude'));
  assert.deepEqual([mtimeMs, ino], [kept.mtimeMs, kept.ino]);
  assert.match(await readFile(settings('gemini'), 'utf8'), /"PreCompress"/);
  await until(async () => (await place.ask('GET /v1/status')).spool.pending === 0);
  const stored = await sessionsOf(place);
  assert.deepEqual(
    sending.sent.filter((id) => !stored.has(id)),
    [],
    `${sending.sent.length} events were sent`,
  );
  const names = await readdir(place.paths.state);
  assert.ok(names.includes(`hookbell.db.schema-${NEWEST_SCHEMA}`), names.join(' '));
  return stdout;
}

/** No package of Debian has these programs. */
const managersPath =
  process.env['HOOKBELL_PACKAGE_MANAGERS'] ??
  '/a folder with pnpm, yarn and bun, whose path is in HOOKBELL_PACKAGE_MANAGERS';

const skip =
  process.env['NODE_V8_COVERAGE'] === undefined
    ? needs('tar', 'gzip', 'npm', 'npx', 'sh', 'xargs', 'cp', 'git')
    : 'needs the bundled program, which runs in separate files for coverage';

describe('hookbell upgrade of a package from npm', { skip, timeout: 900_000 }, () => {
  let directory: AsyncDisposable & { readonly path: string };
  let packages: Record<'old' | 'next', string>;
  before(async () => {
    directory = await temporaryDirectory();
    const destination = directory.path;
    packages = {
      old: await packRelease(OLD, { destination }),
      next: await packRelease(NEXT, { destination, isNext: true }),
    };
  });
  after(() => directory[Symbol.asyncDispose]());

  test('installed globally: without its registry nothing changes; npm fetches the next version, no event is lost, and the way back is refused, then taken', async () => {
    await using registry = await registryWith(packages.old);
    await using who = await person(registry);
    const { place, run, hookbell, bin, global, version } = who;
    ok(await run('npm', 'install', '--global', 'hookbell'));
    ok(await run(join(bin, 'hookbell'), 'install', ...agents));
    await isOld(who);
    const installed = await place.ask('GET /v1/status');

    const npmrc = join(place.home, '.npmrc');
    const reachable = await readFile(npmrc, 'utf8');
    await writeFile(npmrc, reachable.replace(registry.url, NOWHERE));
    const stopped = await hookbell('upgrade');
    await writeFile(npmrc, reachable);

    assert.equal(stopped.code, 1, stopped.stdout);
    assert.match(stopped.stderr, /ECONNREFUSED/);
    assert.match(
      stopped.stderr,
      /hookbell: The upgrade stopped: .*npm install --global.*\n {2}The installed version is unchanged unless .* Run "hookbell upgrade" again\n$/,
    );
    assert.deepEqual([await versionOf(global), await versionOf(place.paths.program)], [OLD, OLD]);
    assert.equal((await place.ask('GET /v1/status')).pid, installed.pid);

    await registry.publish(packages.next);
    const said = await upgradeUnderLoad(who, () => hookbell('upgrade'));

    assert.ok(
      said.startsWith(
        `hookbell ${OLD}: installed by npm ${global}\nrunning: npm install --global hookbell@latest\n`,
      ),
      said,
    );
    assert.match(said, /\+ program +\S+: 0\.0\.9 -> 9\.9\.9\n/);
    assert.match(said, /\nUpgraded hookbell from 0\.0\.9 to 9\.9\.9\n$/);
    assert.equal(await versionOf(global), NEXT);

    const { pid } = await place.ask('GET /v1/status');
    assert.match(ok(await hookbell('upgrade')), /\nhookbell 9\.9\.9 is up to date\n$/);
    assert.equal((await place.ask('GET /v1/status')).pid, pid);

    ok(await run('npm', 'install', '--global', `hookbell@${OLD}`));
    const back = [join(global, 'dist/program/cli.js'), 'install', '--refresh'] as const;
    const refused = await run(...back);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(
      refused.stderr,
      /^hookbell: Cannot use the database "\S+": a newer hookbell wrote it \(its schema is \d+, and hookbell 0\.0\.9 knows \d+ at most\)\n {2}Install the newer version again\. Or go back/,
    );
    assert.deepEqual([await version(), await versionOf(place.paths.program)], [NEXT, NEXT]);
    assert.equal((await place.ask('GET /v1/status')).pid, pid);

    ok(await run(...back, '--restore-database'));
    assert.equal(await versionOf(place.paths.program), OLD);
    await isOld(who);

    // npm replaces the program while it runs.
    const again = await upgradeUnderLoad(who, () => run(join(bin, 'hookbell'), 'upgrade'));
    assert.match(again, /\nUpgraded hookbell from 0\.0\.9 to 9\.9\.9\n$/);
  });

  test('run by npx: npx fetches the next version, also after its cache was emptied, and no event is lost', async () => {
    await using registry = await registryWith(packages.old);
    await using who = await person(registry);
    const { place, run, hookbell } = who;
    ok(await run('npx', '--yes', 'hookbell', 'install', ...agents));
    await isOld(who);
    await registry.publish(packages.next);

    const said = await upgradeUnderLoad(who, () => hookbell('upgrade'));

    assert.match(
      said,
      /^hookbell 0\.0\.9: installed by npx \S+_npx\S+\nrunning: npx --yes hookbell@latest install --refresh --yes\n/,
    );
    assert.match(said, /\nUpgraded hookbell from 0\.0\.9 to 9\.9\.9\n$/);

    await rm(join(place.home, '.npm/_npx'), { recursive: true });
    const again = ok(await hookbell('upgrade'));
    assert.match(again, /^hookbell 9\.9\.9: installed by npx /);
    assert.match(again, /\nhookbell 9\.9\.9 is up to date\n$/);

    const back = ['install', '--refresh', '--restore-database'] as const;
    ok(await run('npx', '--yes', `hookbell@${OLD}`, ...back));
    await isOld(who);
  });

  const managers = [
    ['pnpm', 'add', '--global'],
    ['yarn', 'global', 'add'],
    ['bun', 'add', '--global'],
  ] as const;
  // Each takes a minute: every run has one of them, by chance, and HOOKBELL_ROUNDS=3 has all.
  const from = chooseSeed() % managers.length;
  for (const [manager, ...add] of [...managers, ...managers]
    .slice(from, from + rounds(1))
    .slice(0, managers.length)) {
    test(
      `installed globally by ${manager}: it fetches the next version, no event is lost, and its uninstall is named`,
      { skip: needs(join(managersPath, manager)) },
      async () => {
        await using registry = await registryWith(packages.old);
        await using who = await person(registry);
        const { place, run, hookbell } = who;
        ok(await run(manager, ...add, 'hookbell'));
        ok(await run('hookbell', 'install', ...agents));
        await isOld(who);
        await registry.publish(packages.next);
        // Bun asks for the versions of a package every five minutes only.
        await rm(join(place.home, '.bun/install/cache'), { recursive: true, force: true });

        const said = await upgradeUnderLoad(who, () => hookbell('upgrade'));

        assert.match(
          said,
          new RegExp(
            `^hookbell 0\\.0\\.9: installed by ${manager} \\S+\nrunning: ${[manager, ...add].join(' ')} hookbell@latest\n`,
            'i',
          ),
        );
        assert.match(said, /\nUpgraded hookbell from 0\.0\.9 to 9\.9\.9\n$/);
        assert.match(ok(await run('hookbell', '--version')), /^9\.9\.9/);
        assert.match(ok(await hookbell('upgrade')), /\nhookbell 9\.9\.9 is up to date\n$/);

        const { stderr } = await hookbell('uninstall', '--yes');
        const [, remove = ''] = /To also remove the package, run "([^"]+)"/.exec(stderr) ?? [];
        const [program = '', ...words] = remove.split(' ');
        ok(await run(program, ...words));
        await assert.rejects(run('hookbell', '--version'), /ENOENT/);
        assert.equal(existsSync(place.paths.program), false);
      },
    );
  }

  test('"npx hookbell@latest upgrade" upgrades the package that npm has installed, which the next "hookbell install" would take', async () => {
    await using registry = await registryWith(packages.old, packages.next);
    await using who = await person(registry);
    const { run, bin, global } = who;
    ok(await run('npm', 'install', '--global', `hookbell@${OLD}`));
    ok(await run(join(bin, 'hookbell'), 'install', ...agents));
    await isOld(who);
    const { stdout } = await run('npx', '--yes', 'hookbell@latest', 'doctor', '--json');
    const checks: readonly { readonly name: string }[] = JSON.parse(stdout).checks;
    assert.deepEqual(
      checks.find(({ name }) => name === 'program'),
      {
        name: 'program',
        state: 'warning',
        summary: `your copy is hookbell ${OLD}, and this command is ${NEXT}`,
        hint: `Run "npx hookbell@${NEXT} install --refresh"`,
      },
    );

    const said = await upgradeUnderLoad(who, () =>
      run('npx', '--yes', 'hookbell@latest', 'upgrade'),
    );

    assert.ok(said.startsWith(`hookbell ${OLD}: installed by npm ${global}\n`), said);
    assert.match(said, /\nUpgraded hookbell from 0\.0\.9 to 9\.9\.9\n$/);
    assert.equal(await versionOf(global), NEXT);

    const removed = await who.hookbell('uninstall', '--yes');
    ok(removed);
    assert.match(
      removed.stderr,
      /To also remove what is kept, run "hookbell uninstall --purge"\nTo also remove the package, run "npm uninstall --global hookbell"\n$/,
    );
    ok(await run(join(bin, 'hookbell'), 'uninstall', '--purge', '--yes'));
    ok(await run('npm', 'uninstall', '--global', 'hookbell'));
  });

  test('"npx hookbell@latest upgrade" of a copy from npx installs what npx fetched; without a copy it says what to run', async () => {
    await using registry = await registryWith(packages.old, packages.next);
    await using who = await person(registry);
    const { run } = who;
    const npx = (version: string, ...words: readonly string[]) =>
      run('npx', '--yes', `hookbell@${version}`, ...words);

    const nothing = await npx('latest', 'upgrade');
    assert.match(
      nothing.stderr,
      /Nothing is installed for this user yet\. Run "npx hookbell@latest install"\n$/,
    );
    ok(await npx(OLD, 'install', ...agents));
    await isOld(who);
    const said = await upgradeUnderLoad(who, () => npx('latest', 'upgrade'));

    assert.match(said, /^hookbell 0\.0\.9: installed by npx /);
    assert.match(said, /\nUpgraded hookbell from 0\.0\.9 to 9\.9\.9\n$/);
  });
});
