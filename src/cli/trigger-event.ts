import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

import { pollUntil } from '../platform/time.ts';
import type { ChannelStateView, EventView } from '../control/contract.ts';
import { DaemonUnreachableError, FailedError } from '../platform/errors.ts';
import { fileExists } from '../setup/settings-file.ts';
import type { CommandContext } from './context.ts';
import { hookArguments, ownProgram, programFile } from '../platform/program-files.ts';

const ARRIVAL_MS = 10_000;

interface Arrived {
  readonly event: EventView;
  /** State of the channels at that moment: explains why a delivery was not tried. */
  readonly channels: readonly ChannelStateView[];
}

export interface Triggered extends Arrived {
  /** From the start of the hook until every immediate delivery had an outcome, ms. */
  readonly durationMs: number;
}

/**
 * Runs the real hook with a payload, as an agent would, and waits until the daemon has delivered its notifications.
 * The hook starts the daemon if none is running, so this also waits for a daemon that does not answer yet.
 *
 * @throws FailedError if the event does not arrive
 * @throws DaemonUnreachableError if no daemon answers by then
 */
export async function triggerEvent(
  context: CommandContext,
  payload: Readonly<Record<string, unknown>>,
  hookWords: readonly string[] = [],
): Promise<Triggered> {
  const marker = randomUUID();
  const startedAt = performance.now();
  await handToHook(context, { ...payload, hookbell_trigger: marker }, hookWords);
  const seen: { arrived: Arrived | null; trouble: DaemonUnreachableError | null } = {
    arrived: null,
    trouble: null,
  };
  await pollUntil(async () => {
    try {
      seen.arrived = await findArrived(context, marker);
      seen.trouble = null;
      return seen.arrived !== null && isDone(seen.arrived) ? true : null;
    } catch (error) {
      if (!(error instanceof DaemonUnreachableError)) throw error;
      seen.trouble = error;
      return null;
    }
  }, ARRIVAL_MS);
  if (seen.arrived === null) {
    const hint = seen.trouble?.hint ?? 'Run "hookbell doctor" to find out why';
    // The hook has written it down. Who reads only "cannot" sends it again.
    throw seen.trouble === null
      ? new FailedError(`The event did not arrive within ${ARRIVAL_MS / 1_000} s`, { hint })
      : new DaemonUnreachableError(
          `${seen.trouble.message}. The event is kept, and handled when a daemon answers`,
          { hint },
        );
  }
  return { ...seen.arrived, durationMs: Math.round(performance.now() - startedAt) };
}

/** Runs the real hook with a payload, and waits until it has written it down. */
export async function handToHook(
  { paths, env }: Pick<CommandContext, 'paths' | 'env'>,
  payload: object,
  words: readonly string[] = [],
): Promise<void> {
  const isInstalled = await fileExists(programFile('hook', paths.program));
  const [hook, ...first] = hookArguments(isInstalled ? paths.program : ownProgram);
  const child = spawn(hook, [...first, '--state', paths.state, ...words], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
    windowsHide: true,
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => {
      reject(new FailedError(`Cannot run the hook "${hook}"`, { cause: error }));
    });
    child.once('exit', () => resolve());
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(payload));
  await ended;
}

async function findArrived({ ask }: CommandContext, marker: string): Promise<Arrived | null> {
  const recent = await ask('GET /v1/history', { query: { limit: '20' } });
  for (const { eventId } of recent) {
    const event = await ask('GET /v1/events', { part: eventId });
    if (!event.payload.includes(marker)) continue;
    const { channels } = await ask('GET /v1/status');
    return { event, channels };
  }
  return null;
}

/** Returns true if no immediate delivery is left to try: a waiting or paused channel may not try for minutes. */
function isDone({ event, channels }: Arrived): boolean {
  const ready = new Set(channels.filter(({ state }) => state === 'ok').map(({ name }) => name));
  return !event.deliveries.some(
    ({ state, step, attempts, channel }) =>
      step === 0 && state === 'pending' && attempts === 0 && ready.has(channel),
  );
}
