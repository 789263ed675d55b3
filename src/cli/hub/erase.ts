import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { isAlive, readPidFile } from '../../../hooks/pid-file.ts';
import type { Paths } from '../../core/paths.ts';
import { ConfigError, FailedError } from '../../platform/errors.ts';
import { programFile } from '../../platform/program-files.ts';
import { countOf } from '../../text/count.ts';
import { displayLine } from '../../text/sanitize.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';

/** The hub continues if the command ends before. */
const PATIENCE_MS = 3_600_000;

interface Options {
  readonly yes?: boolean;
}

/** `hookbell hub forget`: erases a person, after a look at what there is. */
export async function forget(
  { ask, output, json }: CommandContext,
  email: string,
  { yes = false }: Options,
): Promise<void> {
  const person = displayLine(email);
  if (!yes) {
    const found = await ask('GET /v1/hub-forget', { query: { email }, timeoutMs: 60_000 });
    output.say(
      `The hub has ${countOf(found.machines, 'machine')} of ${person}, with ${countOf(found.sessions, 'session')} and ${countOf(found.events, 'event')}, and ${countOf(found.deliveries, 'message')} to them. ` +
        'All of it would be erased, and the address in the texts of others replaced.',
    );
    await confirm(`Erase ${person}? This cannot be undone.`);
  }
  const erased = await ask('POST /v1/hub-forget', { body: { email }, timeoutMs: PATIENCE_MS });
  if (json) return output.json(erased);
  output.say(
    `Erased ${person}: ${countOf(erased.machines, 'machine')}, ${countOf(erased.sessions, 'session')}, ${countOf(erased.events, 'event')}, ${countOf(erased.deliveries, 'message')}; ${countOf(erased.texts, 'text')} of others changed`,
  );
}

/** `hookbell hub reset-secret`: without a process that could be asked, because none can start with a lost secret. */
export async function resetSecretOfHub(
  { output, json, paths }: CommandContext,
  { yes = false }: Options,
): Promise<void> {
  await refuseElsewhere(paths);
  if (!yes) {
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
  const words = [programFile('daemon'), '--reset-secret'];
  try {
    return Number((await promisify(execFile)(process.execPath, words)).stdout);
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const message = said.replace(/^hookbell: /, '') || 'Cannot reset the secret';
    throw new FailedError(message, { cause: error });
  }
}
