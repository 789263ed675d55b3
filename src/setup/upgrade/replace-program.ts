import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../platform/errors.ts';
import { renameOver } from '../../platform/replace-file.ts';

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
    renameIfThere(program, old);
    renameOver(fresh, program);
  } else {
    await mkdir(old, { mode: 0o755 });
    await mkdir(join(program, HOOKS), { recursive: true, mode: 0o755 });
    for (const name of await readdir(join(fresh, HOOKS))) {
      renameOver(join(fresh, HOOKS, name), join(program, HOOKS, name));
    }
    // Windows lets agents run a file of the second folder, and renames no folder in which a file is open.
    const taken = process.platform === 'win32' ? ['', 'dist', join('dist', 'program')] : [''];
    for (const folder of taken) {
      const [from, to] = [join(fresh, folder), join(program, folder)];
      await mkdir(to, { recursive: true, mode: 0o755 });
      const names = new Set([...(await readdir(from)), ...(await readdir(to))]);
      for (const name of names) {
        if ([HOOKS, ...taken].includes(join(folder, name))) continue;
        const isFile = (await lstat(join(from, name)).catch(() => null))?.isFile() === true;
        if (!isFile || folder === '') renameIfThere(join(to, name), join(old, name));
        renameIfThere(join(from, name), join(to, name));
      }
    }
    await rm(fresh, { recursive: true });
  }
  await rm(old, { recursive: true, force: true });
}

function renameIfThere(from: string, to: string): void {
  try {
    renameOver(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
