import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import * as z from 'zod';

import type { Ask } from '../../platform/ask-program.ts';
import { isJsonObject, parseJson, readJsonFile } from '../../platform/json.ts';
import { programFile } from '../../platform/program-files.ts';
import { fileExists } from '../settings-file.ts';
import { programVersion } from '../installed-program.ts';

/** A package manager besides npm that installs commands for the user. */
export type GlobalManager = 'pnpm' | 'yarn' | 'bun';

/** How the folder of a program came to this machine; each way is proved by what it leaves behind. */
export type InstallOrigin =
  /** A clone of the repository. */
  | { readonly type: 'checkout'; readonly folder: string }
  /** `npm install --global`; `npm` is the program that lists it, `prefix` what it was given as `--prefix`, if anything. */
  | {
      readonly type: 'npm';
      readonly folder: string;
      readonly npm: string;
      readonly prefix?: string;
    }
  /** `pnpm add --global` or its like; `bin` is where its commands are, and stays the same over an upgrade. */
  | { readonly type: GlobalManager; readonly folder: string; readonly bin: string }
  /** `npx`, whose cache may be emptied at any time. */
  | { readonly type: 'npx'; readonly folder: string }
  /** A Debian package; `hasRepository` if apt knows where to get newer ones. */
  | { readonly type: 'deb'; readonly folder: string; readonly hasRepository: boolean }
  /** A package of pacman, called `name`; `hasRepository` if a repository has it, otherwise it comes from a recipe. */
  | {
      readonly type: 'pacman';
      readonly folder: string;
      readonly name: string;
      readonly hasRepository: boolean;
    }
  | { readonly type: 'homebrew'; readonly folder: string }
  | { readonly type: 'unknown'; readonly folder: string; readonly reason: string };

/**
 * Finds out how a program was installed. Nothing is guessed from a path alone: the package manager or its own files must
 * name it.
 *
 * @param folder of the program; a link is followed
 * @param ask runs a package manager, which may take seconds
 * @param node path of the running Node, beside which its npm may be
 */
export async function findOrigin(folder: string, ask: Ask, node: string): Promise<InstallOrigin> {
  const keg = await homebrewKeg(folder);
  if (keg !== null) return { type: 'homebrew', folder: keg };
  const place = await realpath(folder).catch(() => null);
  if (place === null || (await programVersion(place)) === null) {
    // The next run of npx fetches the package again.
    if (isInCacheOfNpx(folder)) return { type: 'npx', folder };
    const holders = managers.filter(({ holds }) => holds(folder));
    const reason = 'The folder it was installed from is gone';
    return (await listedBy(holders, folder, ask)) ?? { type: 'unknown', folder, reason };
  }
  if ((await fileExists(join(place, '.git'))) && (await fileExists(join(place, 'install.sh')))) {
    return { type: 'checkout', folder: place };
  }
  if (basename(dirname(place)) === 'node_modules') return inNodeModules(place, ask, node);
  const owner = await ask('dpkg-query', ['--search', join(place, 'package.json')]);
  if (owner !== null && /^hookbell(:\w+)?: /.test(owner)) {
    const sources = await ask('apt-cache', ['madison', 'hookbell']);
    return { type: 'deb', folder: place, hasRepository: (sources ?? '').trim() !== '' };
  }
  const words = ['--query', '--owns', '--quiet', join(place, 'package.json')];
  const name = (await ask('pacman', words))?.trim() ?? '';
  if (/^hookbell[\w.+-]*$/.test(name)) {
    const hasRepository = (await ask('pacman', ['--sync', '--info', name])) !== null;
    return { type: 'pacman', folder: place, name, hasRepository };
  }
  const reason = 'No package manager knows the folder, and it is not a clone of the repository';
  return { type: 'unknown', folder: place, reason };
}

async function inNodeModules(folder: string, ask: Ask, node: string): Promise<InstallOrigin> {
  const modules = dirname(folder);
  // npx writes what it was asked for.
  const note = await readJsonFile(join(dirname(modules), 'package.json'));
  if (isInCacheOfNpx(folder) && isJsonObject(note) && '_npx' in note)
    return { type: 'npx', folder };
  // Each Node brings its own npm with its own global packages.
  for (const npm of ['npm', join(dirname(node), 'npm')]) {
    const root = (await ask(npm, ['root', '--global']))?.trim();
    if (root === undefined || root === '') continue;
    if ((await realpath(root).catch(() => null)) === modules) return { type: 'npm', folder, npm };
    const prefix = await prefixOf(folder);
    if (prefix === null) continue;
    const own = (await ask(npm, ['root', '--global', '--prefix', prefix]))?.trim() ?? '';
    if ((await realpath(own).catch(() => null)) === modules) {
      return { type: 'npm', folder, npm, prefix };
    }
  }
  const listed = await listedBy(managers, folder, ask);
  if (listed !== null) return listed;
  const reason = 'It is a package of Node.js, but not a global one of npm, pnpm, Yarn or Bun';
  return { type: 'unknown', folder, reason };
}

/** What `npm install --global --prefix` was given: there it also put the command, which leads to the folder. */
async function prefixOf(folder: string): Promise<string | null> {
  const above = dirname(dirname(folder));
  if (await fileExists(join(above, 'hookbell.cmd'))) return above;
  const prefix = dirname(above);
  const command = await realpath(join(prefix, 'bin/hookbell')).catch(() => null);
  return command !== null && command === programFile('commandLine', folder) ? prefix : null;
}

const PnpmList = z.array(
  z.object({ dependencies: z.object({ hookbell: z.object({ path: z.string() }) }) }),
);

interface Manager {
  readonly type: GlobalManager;
  /** Its words that print where its commands are. */
  readonly bin: readonly string[];
  /** The folder of the package that it has installed globally. */
  readonly find: (ask: Ask) => Promise<string | null>;
  /** Whether a folder is in its store, where earlier versions stay. */
  readonly holds: (folder: string) => boolean;
}

/** https://pnpm.io/cli/list, https://classic.yarnpkg.com/lang/en/docs/cli/global/, https://bun.com/docs/pm/cli/pm */
const managers: readonly Manager[] = [
  {
    type: 'pnpm',
    bin: ['bin', '--global'],
    async find(ask) {
      const list = await ask('pnpm', ['list', '--global', '--json', '--depth', '0']);
      const found = PnpmList.safeParse(parseJson(list ?? '')).data?.[0];
      return found?.dependencies.hookbell.path ?? null;
    },
    holds: (folder) => /\/(\.pnpm|pnpm\/store\/[^/]+\/links)\//.test(folder),
  },
  {
    type: 'yarn',
    bin: ['global', 'bin'],
    async find(ask) {
      const root = (await ask('yarn', ['global', 'dir']))?.trim();
      return root === undefined ? null : join(root, 'node_modules/hookbell');
    },
    holds: () => false,
  },
  {
    type: 'bun',
    bin: ['pm', 'bin', '--global'],
    async find(ask) {
      const list = await ask('bun', ['pm', 'ls', '--global']);
      const root = /^(.+) node_modules \(/.exec(list ?? '')?.[1];
      return root === undefined ? null : join(root, 'node_modules/hookbell');
    },
    holds: () => false,
  },
];

async function listedBy(
  asked: readonly Manager[],
  folder: string,
  ask: Ask,
): Promise<InstallOrigin | null> {
  for (const { type, bin, find, holds } of asked) {
    const listed = await find(ask);
    const place = listed === null ? null : await realpath(listed).catch(() => null);
    if (listed === null || place === null || (place !== folder && !holds(folder))) continue;
    const commands = await ask(type, bin);
    if (commands !== null) return { type, folder: listed, bin: commands.trim() };
  }
  return null;
}

/** Whether a path, which need not exist, is that of a package npx has fetched: `_npx/HASH/node_modules/hookbell`. */
export function isInCacheOfNpx(folder: string): boolean {
  const modules = dirname(folder);
  return basename(modules) === 'node_modules' && basename(dirname(dirname(modules))) === '_npx';
}

/**
 * The folder of a Homebrew formula that stays the same over an upgrade: `opt` links to the installed version, whose folder
 * holds a receipt (https://docs.brew.sh/Formula-Cookbook#homebrew-terminology).
 */
async function homebrewKeg(folder: string): Promise<string | null> {
  const place = await realpath(folder).catch(() => folder);
  const found = /^(.*)\/Cellar\/([^/]+)\/[^/]+(\/.*)?$/.exec(place);
  if (found === null) return null;
  const [, prefix = '', formula = '', rest = ''] = found;
  const opt = join(prefix, 'opt', formula);
  return (await fileExists(join(opt, 'INSTALL_RECEIPT.json'))) ? join(opt, rest) : null;
}
