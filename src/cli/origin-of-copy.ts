import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa } from 'execa';

import type { Ask } from '../platform/ask-program.ts';
import { ownProgram } from '../platform/program-files.ts';
import { recordedSource } from '../setup/installed-program.ts';
import { findOrigin, type InstallOrigin } from '../setup/upgrade/find-origin.ts';

/** npm may take seconds to start, ms. */
const ASK_MS = 20_000;

/**
 * With the whole environment, in which a person may have set where npm installs. In the home directory, because npx takes
 * the registry from the ".npmrc" of the project it is run in, which may be anyone's.
 */
const ask: Ask = async (program, words) => {
  // npm makes a cache with a log, and "hookbell uninstall" leaves nothing in the home directory.
  const cache = await mkdtemp(join(tmpdir(), 'hookbell-'));
  try {
    const { failed, stdout } = await execa(program, words, {
      reject: false,
      cwd: homedir(),
      env: {
        npm_config_cache: cache,
        npm_config_update_notifier: 'false',
        // "pnpm" and "yarn" may be those of Corepack, which would fetch the program first.
        COREPACK_ENABLE_NETWORK: '0',
      },
      stdin: 'ignore',
      timeout: ASK_MS,
    });
    return failed ? null : stdout;
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
};

function originOf(folder: string): Promise<InstallOrigin> {
  return findOrigin(folder, ask, process.execPath);
}

/**
 * Finds the installation that the user's copy came from, if the copy runs; otherwise the one that runs. A program that npx runs is
 * gone afterwards, so the one that the copy came from counts even then.
 *
 * @param program folder of the copy, which need not exist
 */
export async function originOfCopy(program: string): Promise<InstallOrigin> {
  const recorded = await recordedSource(program);
  const isCopy = (await realpath(program).catch(() => null)) === (await realpath(ownProgram));
  if (isCopy) return originOf(recorded ?? ownProgram);
  const running = await originOf(ownProgram);
  if (running.type !== 'npx' || recorded === null) return running;
  const earlier = await originOf(recorded);
  return earlier.type === 'unknown' ? running : earlier;
}
