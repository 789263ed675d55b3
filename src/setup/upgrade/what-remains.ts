import { join } from 'node:path';

import type { InstallOrigin } from './find-origin.ts';

export interface Remains {
  /** The command line that runs "hookbell uninstall" after the user's copy, and the command of that copy, are gone. */
  readonly uninstall: string;
  /** The command line that removes the package the copy came from; null if there is none to remove. */
  readonly removePackage: string | null;
}

/**
 * What is still there of an installation after the user's copy of the program was removed; pure.
 *
 * @param hasScript whether `install.sh` is in the folder
 */
export function whatRemains(
  origin: InstallOrigin,
  { hasScript }: { readonly hasScript: boolean },
): Remains {
  const uninstall = 'hookbell uninstall';
  switch (origin.type) {
    case 'npm':
      return {
        uninstall,
        removePackage: [
          origin.npm,
          'uninstall',
          '--global',
          ...(origin.prefix === undefined ? [] : ['--prefix', origin.prefix]),
          'hookbell',
        ].join(' '),
      };
    case 'pnpm':
    case 'bun':
      return { uninstall, removePackage: `${origin.type} remove --global hookbell` };
    case 'yarn':
      return { uninstall, removePackage: 'yarn global remove hookbell' };
    case 'deb':
      return { uninstall, removePackage: 'sudo apt-get remove hookbell' };
    case 'pacman':
      return {
        uninstall,
        removePackage: `sudo pacman --remove --nosave --recursive ${origin.name}`,
      };
    case 'homebrew':
      return { uninstall, removePackage: 'brew uninstall hookbell' };
    case 'checkout':
    case 'npx':
    case 'unknown':
      return {
        uninstall: hasScript
          ? `${join(origin.folder, 'install.sh')} --uninstall`
          : 'npx hookbell uninstall',
        removePackage: null,
      };
  }
}
