import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

import { z } from 'zod';

const Needs = z.record(z.string(), z.string()).optional().catch(undefined);
const Manifest = z.looseObject({
  version: z.string().optional(),
  dependencies: Needs,
  optionalDependencies: Needs,
});

/** A package that the program needs at run time, besides what is bundled into it. */
export interface RuntimePackage {
  /** Its folder, without symbolic links. */
  readonly from: string;
  /** Its folder in a copy of the program, below `node_modules`. */
  readonly to: string;
  readonly version: string;
}

/**
 * The packages that a program needs at run time, found as Node finds them: below its folder in a checkout, beside it after
 * `npx`, in a store after pnpm. A copy of them is flat, except where two versions of a package are needed.
 *
 * @param program the folder of a package.json
 * @param without names of packages to leave out, with what only they need
 * @returns the packages in the order of discovery; one that is not installed, such as an optional one, is left out, and so is
 * what another one brings in its own `node_modules`
 */
export async function runtimePackages(
  program: string,
  without: readonly string[] = [],
): Promise<readonly RuntimePackage[]> {
  const found = new Map<string, RuntimePackage>();
  const waiting = [{ from: await realpath(program), to: '' }];
  // A loop over an array goes on with what is added to it.
  for (const asker of waiting) {
    const { dependencies, optionalDependencies } = await manifestOf(asker.from);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (without.includes(name)) continue;
      const from = await findPackage(name, asker.from);
      if (from === null) continue;
      const nested = join(asker.to, 'node_modules', name);
      if (asker.to !== '' && from.startsWith(asker.from + sep)) {
        waiting.push({ from, to: nested });
        continue;
      }
      const top = join('node_modules', name);
      const to = (found.get(top)?.from ?? from) === from ? top : nested;
      if (found.has(to)) continue;
      found.set(to, { from, to, version: (await manifestOf(from)).version ?? '' });
      waiting.push({ from, to });
    }
  }
  return [...found.values()];
}

async function manifestOf(folder: string): Promise<z.output<typeof Manifest>> {
  return Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
}

/** The folder of a package, seen from another one; null if it is not installed. */
async function findPackage(name: string, from: string): Promise<string | null> {
  const path = await realpath(join(from, 'node_modules', name, 'package.json')).catch(() => null);
  if (path !== null) return dirname(path);
  return dirname(from) === from ? null : findPackage(name, dirname(from));
}
