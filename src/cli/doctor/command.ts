import { join } from 'node:path';

import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const commandGuide = {
  name: 'command',
  about: 'Whether you can type "hookbell"',
  troubles: {
    elsewhere: {
      state: 'warning',
      meaning:
        'It is installed, but not on the PATH of your shell; hooks and daemon are not affected',
      remedy: 'Add its directory to PATH',
    },
    missing: {
      state: 'warning',
      meaning: 'The command is not installed',
      remedy: 'Run "hookbell install"',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = commandGuide;

/** Checks that the user can run "hookbell". */
export async function checkCommand({
  paths,
  searchPath,
  isExecutable,
}: Pick<DoctorPorts, 'paths' | 'searchPath' | 'isExecutable'>): Promise<Check> {
  for (const directory of searchPath) {
    const path = join(directory, 'hookbell');
    if (await isExecutable(path)) return ok(name, path);
  }
  if (await isExecutable(paths.command)) {
    return found(name, troubles.elsewhere, `${paths.command} is not on PATH`);
  }
  return found(name, troubles.missing, '"hookbell" is not on PATH');
}
