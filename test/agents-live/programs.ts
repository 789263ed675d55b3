import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { LiveAgent } from './agents.ts';

const run = promisify(execFile);

/**
 * Installs the pinned version of an agent from the npm registry, once: into the cache of the user whose machine this is, outside of
 * the checkout.
 *
 * @returns the path of its program
 * @throws Error when npm cannot install it
 */
export async function installedProgram({ npm, version, program }: LiveAgent): Promise<string> {
  // The environment's HOME may be a temporary one.
  const { homedir } = userInfo();
  const cache = join(
    process.env['XDG_CACHE_HOME'] ?? join(homedir, '.cache'),
    'hookbell-test-agents',
  );
  const place = join(cache, `${npm.split('/').at(-1) ?? npm}@${version}`);
  if (!existsSync(place)) {
    await mkdir(cache, { recursive: true });
    const fresh = await mkdtemp(join(cache, 'new-'));
    try {
      await writeFile(join(fresh, 'package.json'), '{ "private": true }\n');
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts=false'];
      await run('npm', ['install', ...quiet, `${npm}@${version}`], { cwd: fresh });
      await rename(fresh, place);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  }
  return join(place, 'node_modules/.bin', program);
}
