import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { isAlive, readPidFile } from '../../../hooks/pid-file.ts';
import type { Paths } from '../../core/paths.ts';
import { ConfigError, FailedError } from '../../platform/errors.ts';
import { programFile } from '../../platform/program-files.ts';
import { countOf } from '../../text/count.ts';
import type { CommandContext } from '../context.ts';
import { confirm } from './confirm.ts';

/** `hookbell hub reset-secret`: without a process that could be asked, because none can start with a lost secret. */
export async function resetSecretOfHub(
  { output, json, paths }: CommandContext,
  { isConfirmed }: { readonly isConfirmed: boolean },
): Promise<void> {
  await refuseElsewhere(paths);
  if (!isConfirmed) {
    output.say('All machines would be revoked, and would have to enrol again.');
    await confirm('Reset the secret of the hub? This cannot be undone.');
  }
  const machines = await runReset();
  if (json) return output.json({ machines });
  output.say(
    `Revoked ${countOf(machines, 'machine')}. Start the processes with a new "hub.secret", and invite the people again: "hookbell hub people" lists them`,
  );
}

/** Before it asks: what cannot be done is not worth an answer. */
async function refuseElsewhere(paths: Paths): Promise<void> {
  // With every channel type, which the other commands of a hub do not need.
  const { requireConfig } = await import('../read-config.ts');
  const { store, hub } = await requireConfig(paths.config);
  if (store === null || hub === null) {
    throw new ConfigError(`"${paths.config}" is not the configuration of a hub`, {
      hint: 'Run the command with the account and the configuration of the hub',
    });
  }
  const running = readPidFile(paths.pidFile);
  if (running !== null && isAlive(running)) {
    throw new FailedError(`The process of the hub on this host still runs, pid ${running.pid}`, {
      hint: 'Nothing was changed: stop all processes first',
    });
  }
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
