import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../platform/errors.ts';

/** The folder of the scripts that agents run. */
const HOOKS = 'hooks';

/**
 * Replaces an installed program with a complete new copy. Each hook is replaced by one rename: agents run them at any time,
 * and find the old one or the new one. The other parts are missing for a moment, which only delays the start of a daemon
 * until the next event; after a crash in between, `install` copies the program again.
 *
 * @param fresh the new copy, which is moved; beside `program`
 */
export async function replaceProgram(fresh: string, program: string): Promise<void> {
  const old = `${program}.old`;
  await rm(old, { recursive: true, force: true });
  const found = await lstat(program).catch(() => null);
  if (found === null || !found.isDirectory()) {
    // Nothing, or a link to a checkout.
    await renameIfThere(program, old);
    await rename(fresh, program);
  } else {
    await mkdir(old, { mode: 0o755 });
    await mkdir(join(program, HOOKS), { recursive: true, mode: 0o755 });
    for (const name of await readdir(join(fresh, HOOKS))) {
      await rename(join(fresh, HOOKS, name), join(program, HOOKS, name));
    }
    const names = new Set([...(await readdir(fresh)), ...(await readdir(program))]);
    names.delete(HOOKS);
    for (const name of names) {
      await renameIfThere(join(program, name), join(old, name));
      await renameIfThere(join(fresh, name), join(program, name));
    }
    await rm(fresh, { recursive: true });
  }
  await rm(old, { recursive: true, force: true });
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
