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
  const removePackage = removalOf(origin);
  if (removePackage !== null) return { uninstall: 'hookbell uninstall', removePackage };
  const script = `${join(origin.folder, 'install.sh')} --uninstall`;
  return { uninstall: hasScript ? script : 'npx hookbell uninstall', removePackage };
}

function removalOf(origin: InstallOrigin): string | null {
  switch (origin.type) {
    case 'npm': {
      const at = origin.prefix === undefined ? [] : ['--prefix', origin.prefix];
      return [origin.npm, 'uninstall', '--global', ...at, 'hookbell'].join(' ');
    }
    case 'pnpm':
    case 'bun':
      return `${origin.type} remove --global hookbell`;
    case 'yarn':
      return 'yarn global remove hookbell';
    case 'deb':
      return 'sudo apt-get remove hookbell';
    case 'pacman':
      return `sudo pacman --remove --nosave --recursive ${origin.name}`;
    case 'homebrew':
      return 'brew uninstall hookbell';
    case 'checkout':
    case 'npx':
    case 'unknown':
      return null;
  }
}
