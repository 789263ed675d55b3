import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import type { Ask } from '../../../src/platform/ask-program.ts';
import { findOrigin } from '../../../src/setup/upgrade/find-origin.ts';
import { planUpgrade } from '../../../src/setup/upgrade/plan-upgrade.ts';
import { runProcess } from '../../support/run-process.ts';
import { needs } from '../../support/system-part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const node = process.execPath;
const nothing: Ask = async () => null;

/** A folder with the parts of a program that say what it is. */
async function program(...path: readonly string[]): Promise<string> {
  const folder = join(...path);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"name":"hookbell","version":"1.2.3"}');
  return realpath(folder);
}

describe('findOrigin()', () => {
  test(
    'a folder that npm lists as global is npm’s, and another one in a node_modules is not',
    {
      skip: needs('npm'),
    },
    async () => {
      await using place = await temporaryDirectory();
      const folder = await program(place.path, 'lib/node_modules/hookbell');
      const dependency = await program(place.path, 'project/node_modules/hookbell');
      const env = {
        PATH: `${dirname(node)}:${process.env['PATH']}`,
        HOME: place.path,
        npm_config_prefix: place.path,
      };
      const ask: Ask = async (name, words) => {
        // Beside this Node there may be no npm.
        const ran = await runProcess(name, words, { env }).catch(() => null);
        return ran?.code === 0 ? ran.stdout : null;
      };

      assert.deepEqual(await findOrigin(folder, ask, node), { type: 'npm', folder, npm: 'npm' });
      assert.equal((await findOrigin(dependency, ask, node)).type, 'unknown');
    },
  );

  test(
    'a folder below a prefix that npm was given is npm’s with that prefix, if the command there leads to it',
    { skip: needs('npm') },
    async () => {
      await using place = await temporaryDirectory();
      const prefix = await realpath(place.path);
      const folder = await program(prefix, 'lib/node_modules/hookbell');
      const env = { PATH: process.env['PATH'] ?? '', HOME: prefix };
      const ask: Ask = async (name, words) => {
        const ran = await runProcess(name, words, { env }).catch(() => null);
        return ran?.code === 0 ? ran.stdout : null;
      };
      assert.equal((await findOrigin(folder, ask, node)).type, 'unknown');

      await mkdir(join(folder, 'dist/program'), { recursive: true });
      await writeFile(join(folder, 'dist/program/cli.js'), '');
      await mkdir(join(prefix, 'bin'));
      const target = '../lib/node_modules/hookbell/dist/program/cli.js';
      await symlink(target, join(prefix, 'bin/hookbell'));

      const found = { type: 'npm', folder, npm: 'npm', prefix };
      assert.deepEqual(await findOrigin(folder, ask, node), found);
    },
  );

  test('the npm beside the running Node is asked when the one in PATH does not list the folder', async () => {
    await using place = await temporaryDirectory();
    const folder = await program(place.path, 'lib/node_modules/hookbell');
    const beside = join(dirname(node), 'npm');
    const ask: Ask = async (name) => (name === beside ? `${dirname(folder)}\n` : '/elsewhere\n');

    assert.deepEqual(await findOrigin(folder, ask, node), { type: 'npm', folder, npm: beside });
  });

  for (const [type, list, bin, answerOf] of [
    [
      'pnpm',
      'pnpm list --global --json --depth 0',
      'pnpm bin --global',
      (root: string) =>
        JSON.stringify([
          { path: root, dependencies: { hookbell: { path: `${root}/node_modules/hookbell` } } },
        ]),
    ],
    ['yarn', 'yarn global dir', 'yarn global bin', (root: string) => `${root}\n`],
    [
      'bun',
      'bun pm ls --global',
      'bun pm bin --global',
      (root: string) => `${root} node_modules (14)\n└── hookbell@1.2.3\n`,
    ],
  ] as const) {
    test(`a folder that ${type} lists as global is known by what it lists, and another one is not`, async () => {
      await using place = await temporaryDirectory();
      const root = join(await realpath(place.path), 'global');
      const folder = await program(root, 'node_modules/hookbell');
      const other = await program(place.path, 'project/node_modules/hookbell');
      const ask: Ask = async (name, words) => {
        const line = [name, ...words].join(' ');
        if (line === list) return answerOf(root);
        return line === bin ? '/home/ada/bin\n' : null;
      };

      const found = await findOrigin(folder, ask, node);

      assert.deepEqual(found, { type, folder, bin: '/home/ada/bin' });
      assert.equal((await findOrigin(other, ask, node)).type, 'unknown');
    });
  }

  test('a version that pnpm has replaced is known by the one that it lists now', async () => {
    await using place = await temporaryDirectory();
    const folder = await program(place.path, 'global/node_modules/hookbell');
    const ask: Ask = async (name, [word]) => {
      if (name !== 'pnpm') return null;
      return word === 'bin' ? '/bin' : `[{"dependencies":{"hookbell":{"path":"${folder}"}}}]`;
    };
    for (const earlier of [
      'pnpm/global/5/.pnpm/hookbell@1.2.2/node_modules/hookbell',
      'pnpm/store/v11/links/@/hookbell/1.2.2/81e2/node_modules/hookbell',
    ]) {
      const found = { type: 'pnpm', folder, bin: '/bin' };
      assert.deepEqual(await findOrigin(join(place.path, earlier), ask, node), found);
      const kept = await program(place.path, earlier);
      assert.deepEqual(await findOrigin(kept, ask, node), found);
    }
  });

  test('a folder in the cache of npx is known by what npx wrote there', async () => {
    await using place = await temporaryDirectory();
    const folder = await program(place.path, '_npx/0123abcd/node_modules/hookbell');
    assert.equal((await findOrigin(folder, nothing, node)).type, 'unknown');

    const note = join(place.path, '_npx/0123abcd/package.json');
    await writeFile(note, '{"_npx":{"packages":["hookbell"]}}');

    assert.deepEqual(await findOrigin(folder, nothing, node), { type: 'npx', folder });
  });

  test('a folder in the cache of npx is still known after the cache was emptied', async () => {
    await using place = await temporaryDirectory();
    const folder = join(place.path, '_npx/0123abcd/node_modules/hookbell');

    assert.deepEqual(await findOrigin(folder, nothing, node), { type: 'npx', folder });
  });

  test('a clone of the repository is a checkout, and an unpacked archive is not', async () => {
    await using place = await temporaryDirectory();
    const folder = await program(place.path, 'hookbell');
    await writeFile(join(folder, 'install.sh'), '');
    assert.equal((await findOrigin(folder, nothing, node)).type, 'unknown');

    await mkdir(join(folder, '.git'));

    assert.deepEqual(await findOrigin(folder, nothing, node), { type: 'checkout', folder });
  });

  test('a Homebrew keg is followed by its link, which an upgrade moves to the next version', async () => {
    await using place = await temporaryDirectory();
    const prefix = await realpath(place.path);
    const keg = join(prefix, 'Cellar/hookbell/1.2.3');
    await program(keg, 'libexec');
    assert.equal((await findOrigin(join(keg, 'libexec'), nothing, node)).type, 'unknown');
    await writeFile(join(keg, 'INSTALL_RECEIPT.json'), '{}');
    await mkdir(join(prefix, 'opt'));
    await symlink('../Cellar/hookbell/1.2.3', join(prefix, 'opt/hookbell'));

    const found = await findOrigin(join(keg, 'libexec'), nothing, node);

    assert.deepEqual(found, { type: 'homebrew', folder: join(prefix, 'opt/hookbell/libexec') });
  });

  test('a folder that dpkg names is a Debian package, with or without a repository', async () => {
    await using place = await temporaryDirectory();
    const folder = await program(place.path, 'usr/lib/hookbell');
    const asked: string[] = [];
    const ask =
      (madison: string): Ask =>
      async (name, words) => {
        asked.push([name, ...words].join(' '));
        return name === 'apt-cache' ? madison : `hookbell: ${folder}/package.json\n`;
      };

    const alone = await findOrigin(folder, ask(''), node);
    const line = ' hookbell | 1.2.4 | https://example.org stable/main amd64 Packages\n';
    const known = await findOrigin(folder, ask(line), node);

    assert.deepEqual(alone, { type: 'deb', folder, hasRepository: false });
    assert.deepEqual(known, { type: 'deb', folder, hasRepository: true });
    assert.equal(asked[0], `dpkg-query --search ${folder}/package.json`);
  });

  test('a folder that pacman owns is a package of pacman, with its name, from a repository or a recipe', async () => {
    await using place = await temporaryDirectory();
    const folder = await program(place.path, 'usr/lib/hookbell');
    const ask =
      (known: boolean): Ask =>
      async (name, words) => {
        if (name !== 'pacman') return null;
        if (words[0] === '--sync') return known ? 'Repository : extra\n' : null;
        return words.join(' ') === `--query --owns --quiet ${folder}/package.json`
          ? 'hookbell-git\n'
          : null;
      };

    const found = { type: 'pacman', folder, name: 'hookbell-git' };
    assert.deepEqual(await findOrigin(folder, ask(true), node), { ...found, hasRepository: true });
    assert.deepEqual(await findOrigin(folder, ask(false), node), {
      ...found,
      hasRepository: false,
    });
  });

  test('a folder that is gone, and one that belongs to no package manager, are unknown with the reason', async () => {
    await using place = await temporaryDirectory();

    const gone = await findOrigin(join(place.path, 'gone'), nothing, node);
    const foreign = await findOrigin(await program(place.path, 'opt/hookbell'), nothing, node);

    assert.match(gone.type === 'unknown' ? gone.reason : '', /is gone$/);
    assert.match(foreign.type === 'unknown' ? foreign.reason : '', /^No package manager knows/);
  });
});

describe('planUpgrade()', () => {
  const folder = '/opt/hookbell';
  const apply = ['/node', '/opt/hookbell/dist/program/cli.js', 'install', '--refresh', '--yes'];

  test('what needs root or Homebrew is printed, and never run', () => {
    const facts = { node: '/node', isWritable: false };
    for (const [origin, command] of [
      [{ type: 'npm', folder, npm: 'npm' }, 'sudo npm install --global hookbell@latest'],
      [
        { type: 'deb', folder, hasRepository: true },
        'sudo apt-get update && sudo apt-get install --only-upgrade hookbell',
      ],
      [
        { type: 'deb', folder, hasRepository: false },
        'sudo apt-get install ./hookbell_VERSION_ARCHITECTURE.deb',
      ],
      [
        { type: 'npm', folder, npm: 'npm', prefix: '/opt' },
        'sudo npm install --global --prefix /opt hookbell@latest',
      ],
      [
        { type: 'pacman', folder, name: 'hookbell', hasRepository: true },
        'sudo pacman --sync --refresh --sysupgrade',
      ],
      [
        { type: 'pacman', folder, name: 'hookbell', hasRepository: false },
        'git pull && makepkg --syncdeps --install   # in the folder of the recipe',
      ],
      [{ type: 'homebrew', folder }, 'brew upgrade hookbell'],
      [{ type: 'yarn', folder, bin: '/usr/bin' }, 'sudo yarn global add hookbell@latest'],
    ] as const) {
      const byHand = [command, 'hookbell upgrade'];
      assert.deepEqual(planUpgrade(origin, facts), { fetch: [], apply, byHand });
    }
  });

  test('pnpm, Yarn and Bun run, and then the command that they keep in its place', () => {
    for (const [type, ...words] of [
      ['pnpm', 'add', '--global'],
      ['yarn', 'global', 'add'],
      ['bun', 'add', '--global'],
    ] as const) {
      assert.deepEqual(
        planUpgrade({ type, folder, bin: '/home/ada/bin' }, { node: '/node', isWritable: true }),
        {
          fetch: [[type, ...words, 'hookbell@latest']],
          apply: ['/home/ada/bin/hookbell', 'install', '--refresh', '--yes'],
          byHand: [],
        },
      );
    }
  });

  test('npm runs if this user may change its folder', () => {
    const origin = { type: 'npm', folder, npm: '/node/bin/npm' } as const;

    assert.deepEqual(planUpgrade(origin, { node: '/node', isWritable: true }), {
      fetch: [['/node/bin/npm', 'install', '--global', 'hookbell@latest']],
      apply,
      byHand: [],
    });
  });
});
