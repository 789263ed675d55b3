import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
/** Longer than any of it takes, on a machine that is busy with other tests. */
const PATIENCE_MS = 240_000;

/** The folder of the run of scripts/test.mjs; without one, that of this process. */
let shared = process.env['HOOKBELL_TEST_SHARED'];

/**
 * Makes a folder that several tests only read, once for the run of scripts/test.mjs: the first process that needs it fills it,
 * and another one waits until it is complete.
 *
 * @param make fills an empty folder
 * @returns its path
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const path = join(sharedFolder(), name);
  const unfinished = `${path}.unfinished`;
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!existsSync(path)) {
    if (performance.now() > giveUpAt) throw new Error(`"${path}" is not made`);
    if (!(await isFirst(unfinished))) {
      await delay(POLL_MS);
      continue;
    }
    try {
      await make(unfinished);
      await rename(unfinished, path);
    } catch (error) {
      // The next one tries by itself, and fails with the same reason.
      await rm(unfinished, { recursive: true, force: true });
      throw error;
    }
  }
  return path;
}

async function isFirst(folder: string): Promise<boolean> {
  return mkdir(folder).then(
    () => true,
    () => false,
  );
}

function sharedFolder(): string {
  if (shared === undefined) {
    const own = mkdtempSync(join(tmpdir(), 'hookbell-tests-'));
    process.on('exit', () => rmSync(own, { recursive: true, force: true }));
    shared = own;
  }
  return shared;
}
