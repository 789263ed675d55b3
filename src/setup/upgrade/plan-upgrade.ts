import { join } from 'node:path';

import { programFile } from '../../platform/program-files.ts';
import type { GlobalManager, InstallOrigin } from './find-origin.ts';

/** What an upgrade does, in this order. */
export interface UpgradePlan {
  /** Commands (argv) that fetch the newer program. */
  readonly fetch: readonly (readonly string[])[];
  /** The command (argv) that installs the fetched program for this user. */
  readonly apply: readonly string[] | null;
  /** Command lines for a person, because they need root, or change what other programs depend on. */
  readonly byHand: readonly string[];
}

/** Keeps what is registered, and adds nothing. */
const REFRESH = ['--refresh', '--yes'];

const addGlobally: Readonly<Record<GlobalManager, readonly string[]>> = {
  pnpm: ['add', '--global'],
  yarn: ['global', 'add'],
  bun: ['add', '--global'],
};

/**
 * Plans an upgrade; pure.
 *
 * @param facts.node path of the Node that runs the commands
 * @param facts.isWritable whether this user may change the folder of the program
 */
export function planUpgrade(
  origin: InstallOrigin,
  { node, isWritable }: { readonly node: string; readonly isWritable: boolean },
): UpgradePlan {
  const { folder } = origin;
  const apply = [node, programFile('commandLine', folder), 'install', ...REFRESH];
  const afterUpdate = (update: string): UpgradePlan => ({
    fetch: [],
    apply,
    byHand: [update, 'hookbell upgrade'],
  });
  const byFetching = (fetch: readonly string[], then: readonly string[]): UpgradePlan =>
    isWritable
      ? { fetch: [fetch], apply: then, byHand: [] }
      : afterUpdate(`sudo ${fetch.join(' ')}`);
  switch (origin.type) {
    case 'checkout': {
      const fetch = [['git', '-C', folder, 'pull', '--ff-only']];
      return { fetch, apply: [join(folder, 'install.sh'), ...REFRESH], byHand: [] };
    }
    case 'npm': {
      const { npm, prefix } = origin;
      const at = prefix === undefined ? [] : ['--prefix', prefix];
      return byFetching([npm, 'install', '--global', ...at, 'hookbell@latest'], apply);
    }
    case 'pnpm':
    case 'yarn':
    case 'bun': {
      const fetch = [origin.type, ...addGlobally[origin.type], 'hookbell@latest'];
      // The command stays where it is; pnpm puts each version into a separate folder.
      return byFetching(fetch, [join(origin.bin, 'hookbell'), 'install', ...REFRESH]);
    }
    case 'npx': {
      const install = ['npx', '--yes', 'hookbell@latest', 'install', ...REFRESH];
      return { fetch: [], apply: install, byHand: [] };
    }
    case 'deb':
      return afterUpdate(
        origin.hasRepository
          ? 'sudo apt-get update && sudo apt-get install --only-upgrade hookbell'
          : 'sudo apt-get install ./hookbell_VERSION_ARCHITECTURE.deb',
      );
    case 'pacman':
      return afterUpdate(
        origin.hasRepository
          ? 'sudo pacman --sync --refresh --sysupgrade'
          : 'git pull && makepkg --syncdeps --install   # in the folder of the recipe',
      );
    case 'homebrew':
      return afterUpdate('brew upgrade hookbell');
    case 'unknown':
      // "hookbell install" could be the copy itself, which has nothing newer to install.
      return { fetch: [], apply: null, byHand: ['npx hookbell@latest install --refresh'] };
  }
}
