import { pause, systemTimer } from '../platform/time.ts';
import { DaemonUnreachableError } from '../platform/errors.ts';
import type { CommandContext } from './context.ts';

const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What is running, the innermost last. */
const running: AbortController[] = [];

/**
 * Runs something until it is interrupted: Ctrl-C, SIGTERM, a closed terminal and a reader of standard output that exits,
 * such as `head`, abort its signal instead of ending the process, so that it can clean up.
 * A second Ctrl-C meanwhile has no effect. Where one runs inside of another, Ctrl-C interrupts the inner one.
 */
export async function withInterrupt<Result>(
  task: (interrupted: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const interrupt = (signal?: unknown): void => {
    if (signal !== 'SIGINT' || running.at(-1) === controller) controller.abort();
  };
  running.push(controller);
  for (const signal of interrupts) process.on(signal, interrupt);
  process.stdout.on('error', interrupt);
  try {
    return await task(controller.signal);
  } finally {
    running.splice(running.indexOf(controller), 1);
    for (const signal of interrupts) process.off(signal, interrupt);
    process.stdout.off('error', interrupt);
  }
}

/** Refresh interval, ms. */
const EVERY_MS = 2_000;

export interface Watched<Answer> {
  readonly ask: () => Promise<Answer>;
  readonly show: (answer: Answer) => void;
}

/**
 * Shows an answer of the daemon until interrupted: on a terminal repeatedly on a clean screen, because ages
 * grow; elsewhere only what is new, so that a pipe or a file gets no repetition. A daemon that goes away later is waited
 * for.
 *
 * @throws DaemonUnreachableError if the daemon is not running at the start
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
      await pause(everyMs, systemTimer, interrupted);
      if (!interrupted.aborted) answer = await answerOrNull(ask);
    }
  });
}

/** Returns null while the daemon is unreachable. */
export async function answerOrNull<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DaemonUnreachableError) return null;
    throw error;
  }
}
