import { join } from 'node:path';

import type { Check } from './check.ts';
import { ok, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

const name = 'command';

/** Whether people can type "hookbell". */
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
    return warning(name, `${paths.command} is not on PATH`, 'Add its directory to PATH');
  }
  return warning(name, 'there is no "hookbell" on PATH', 'Run "hookbell install"');
}
