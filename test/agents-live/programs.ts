import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Pinned } from './live-agent.ts';

const run = promisify(execFile);

/**
 * Installs a version of a package from the npm registry, once: into the cache of the user whose machine this is, outside of the
 * checkout.
 *
 * @returns the folder with its package.json and node_modules
 * @throws Error when npm cannot install it
 */
export async function installedPackage({ npm, version }: Pinned): Promise<string> {
  // The environment's HOME may be a temporary one.
  const { homedir } = userInfo();
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir, '.cache');
  const cache = join(caches, 'hookbell-test-agents');
  const place = join(cache, `${npm.replace('/', '+')}@${version}`);
  if (existsSync(place)) return place;
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, 'new-'));
  try {
    const content = { private: true, dependencies: { [npm]: version } };
    await writeFile(join(fresh, 'package.json'), JSON.stringify(content));
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts=false'], {
      cwd: fresh,
    });
    await rename(fresh, place);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return place;
}
