import { constants } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { writeAtomically } from '../platform/replace-file.ts';
import { errorCode } from '../platform/errors.ts';
import type { InstallStep } from './run-steps.ts';
import type { Recorder } from './install-recorder.ts';
import { fileExists } from './settings-file.ts';

/** A configuration to write, and how to handle an existing one. */
export interface NewConfig {
  readonly text: string;
  /** The text holds no choice of the person, so that `uninstall` may remove it while it is unchanged. */
  readonly isStarter: boolean;
  readonly existing: 'keep' | Replacement;
  /** Files that the text refers to, readable only by this user. */
  readonly secrets: readonly { readonly path: string; readonly text: string }[];
}

export interface Replacement {
  /** Path for a copy of the replaced configuration. */
  readonly backup: string;
  /** The text of a configuration that needs no copy. */
  readonly worthless: string;
}

/** Writes the configuration atomically, after its secrets, so that it never refers to a missing one. */
export async function installConfig(
  path: string,
  { text, isStarter, existing, secrets }: NewConfig,
  recorder: Recorder,
): Promise<InstallStep> {
  const name = 'config';
  if (existing === 'keep' && (await fileExists(path))) {
    return { name, state: 'unchanged', text: path };
  }
  const current = await readIfThere(path);
  for (const secret of secrets) {
    if (recorder.dryRun || (await readIfThere(secret.path)) === secret.text) continue;
    await recorder.makeDirectory(dirname(secret.path), 0o700);
    await writeAtomically(secret.path, secret.text);
    await recorder.recordSecret(secret.path);
  }
  if (current === text) return { name, state: 'unchanged', text: path };

  // Checked only now: the file may have been written while the user answered.
  const isWorthless = current === null || existing === 'keep' || current === existing.worthless;
  const copy = isWorthless ? null : existing.backup;
  if (!recorder.dryRun) {
    await recorder.makeDirectory(dirname(path));
    if (copy !== null) await copyFile(path, copy, constants.COPYFILE_EXCL);
    await writeAtomically(path, text);
    if (isStarter) await recorder.recordFile(path, text);
  }
  return { name, state: 'done', text: copy === null ? path : `${path} (the earlier one: ${copy})` };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
