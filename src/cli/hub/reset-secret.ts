import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { FailedError } from '../../platform/errors.ts';
import { programFile } from '../../platform/program-files.ts';
import type { CommandContext } from '../context.ts';
import { confirm } from './confirm.ts';

/** `hookbell hub reset-secret`: without a process that could be asked, because none can start with a lost secret. */
export async function resetSecretOfHub(
  { output, json }: CommandContext,
  { isConfirmed }: { readonly isConfirmed: boolean },
): Promise<void> {
  if (!isConfirmed) {
    output.say('All machines would be revoked, and would have to enrol again.');
    await confirm('Reset the secret of the hub? This cannot be undone.');
  }
  const machines = await runReset();
  if (json) return output.json({ machines });
  output.say(
    `Revoked ${machines} machines. Start the processes with a new "hub.secret", and invite the people again: "hookbell hub people" lists them`,
  );
}

async function runReset(): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      programFile('daemon'),
      '--reset-secret',
    ]);
    return Number(stdout);
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new FailedError(said.replace(/^hookbell: /, '') || 'Cannot reset the secret', {
      cause: error,
    });
  }
}
