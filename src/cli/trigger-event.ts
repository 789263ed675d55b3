import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { EventView } from '../core/control.ts';
import { FailedError } from '../core/errors.ts';
import { fileExists } from '../setup/settings-file.ts';
import type { CommandContext } from './context.ts';
import { waitFor } from './daemon-process.ts';
import { ownProgram } from './install-places.ts';

const ARRIVAL_MS = 10_000;

export interface Triggered {
  readonly event: EventView;
  /** From the start of the hook until every delivery due at once had an outcome, ms. */
  readonly durationMs: number;
}

/**
 * Runs the real hook with a payload, as an agent would, and waits until the daemon has delivered what came of it.
 *
 * @throws FailedError when the event does not arrive
 */
export async function triggerEvent(
  context: CommandContext,
  payload: Readonly<Record<string, unknown>>,
  hookWords: readonly string[] = [],
): Promise<Triggered> {
  const marker = randomUUID();
  const startedAt = performance.now();
  await runHook(context, hookWords, JSON.stringify({ ...payload, hookbell_trigger: marker }));
  const event = await waitFor(() => findSettled(context, marker), ARRIVAL_MS);
  if (event === null) {
    throw new FailedError(`The event did not arrive within ${ARRIVAL_MS / 1_000} s`, {
      hint: 'Run "hookbell doctor" to find out why',
    });
  }
  return { event, durationMs: Math.round(performance.now() - startedAt) };
}

async function runHook(
  { paths, env }: CommandContext,
  words: readonly string[],
  payload: string,
): Promise<void> {
  const installed = join(paths.program, 'hooks', 'hookbell-hook');
  const hook = (await fileExists(installed))
    ? installed
    : join(ownProgram, 'hooks', 'hookbell-hook');
  const child = spawn(hook, words, { stdio: ['pipe', 'ignore', 'ignore'], env });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => {
      reject(new FailedError(`Cannot run the hook "${hook}"`, { cause: error }));
    });
    child.once('exit', () => resolve());
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(payload);
  await ended;
}

/** The event with that marker once nothing that was due at once is still on its way. */
async function findSettled({ ask }: CommandContext, marker: string): Promise<EventView | null> {
  const recent = await ask('GET /v1/history', { query: { limit: '20' } });
  for (const { eventId } of recent) {
    const event = await ask('GET /v1/events', { part: eventId });
    if (!event.payload.includes(marker)) continue;
    const onTheWay = event.deliveries.some(
      ({ state, step, attempts }) => step === 0 && state === 'pending' && attempts === 0,
    );
    return onTheWay ? null : event;
  }
  return null;
}
