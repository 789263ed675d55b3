import { setTimeout as delay } from 'node:timers/promises';

import { DaemonUnreachableError } from '../core/errors.ts';
import type { CommandContext } from './context.ts';
import { withInterrupt } from './with-interrupt.ts';

/** How long after one look the next one is, ms. */
const EVERY_MS = 2_000;

export interface Watched<Answer> {
  readonly ask: () => Promise<Answer>;
  readonly show: (answer: Answer) => void;
}

/**
 * Shows an answer of the daemon until somebody interrupts: on a terminal again and again on a clean screen, since ages
 * grow; elsewhere only what is new, so that a pipe or a file gets no repetition. A daemon that goes away later is waited
 * for.
 *
 * @throws DaemonUnreachableError when there is no daemon at the beginning
 */
export async function watch<Answer>(
  { output }: Pick<CommandContext, 'output'>,
  { ask, show }: Watched<Answer>,
  { everyMs = EVERY_MS }: { readonly everyMs?: number } = {},
): Promise<void> {
  await withInterrupt(async (interrupted) => {
    let shown = '';
    let answer: Answer | null = await ask();
    while (!interrupted.aborted) {
      const news = JSON.stringify(answer);
      if (answer !== null && (output.isTerminal || news !== shown)) {
        if (output.isTerminal) output.clear();
        show(answer);
      }
      if (answer === null && shown !== news) output.complain('The daemon does not answer: waiting');
      shown = news;
      await pause(everyMs, interrupted);
      if (!interrupted.aborted) answer = await askAgain(ask);
    }
  });
}

/** Null while there is no daemon. */
async function askAgain<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DaemonUnreachableError) return null;
    throw error;
  }
}

/** Over early when it is interrupted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
