import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Pinned } from './live-agent.ts';

const run = promisify(execFile);

/** Where a version of a package is, or would be: in the cache of the user whose machine this is, outside of the checkout. */
export function packageFolder({ npm, version }: Pinned): string {
  // The environment's HOME may be a temporary one.
  const caches = process.env['XDG_CACHE_HOME'] ?? join(userInfo().homedir, '.cache');
  return join(caches, 'hookbell-test-agents', `${npm.replace('/', '+')}@${version}`);
}

/**
 * Installs a version of a package from the npm registry, once.
 *
 * @returns why npm cannot install it; null where it is installed
 */
export async function installPackage(pinned: Pinned): Promise<string | null> {
  const place = packageFolder(pinned);
  if (existsSync(place)) return null;
  const { npm, version } = pinned;
  const cache = join(place, '..');
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, 'new-'));
  try {
    const content = { private: true, dependencies: { [npm]: version } };
    await writeFile(join(fresh, 'package.json'), JSON.stringify(content));
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts=false'], {
      cwd: fresh,
    });
    await rename(fresh, place);
    return null;
  } catch (error) {
    // Another run has installed it meanwhile.
    if (existsSync(place)) return null;
    const said = error instanceof Error ? error.message : String(error);
    const reasons = said.split('\n').filter((line) => /^npm (?:error|ERR!) /.test(line));
    return `Cannot install ${npm}@${version} from the npm registry: ${reasons.slice(0, 3).join(' ') || said}`;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
