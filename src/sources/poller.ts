import type { PollInterval } from '../core/pace.ts';
import { nextInterval } from '../core/pace.ts';
import type { SourceJob } from './source.ts';
import type { TurnsOptions } from './turns.ts';
import { createTurns } from './turns.ts';

/**
 * One look at the service, in the background lane. What goes wrong with it is thrown as the client throws it.
 *
 * - `moving`: something changed, or will soon: the next look comes after the shortest interval
 * - `still`: nothing did: the intervals grow
 */
export type Look = () => Promise<'moving' | 'still'>;

export interface PollerOptions extends TurnsOptions {
  readonly pace: PollInterval;
  readonly look: Look;
}

/** Trouble is waited for at most so long, or as long as the slowest interval. */
const LONGEST_RETRY_MS = 900_000;

/**
 * Looks at the service again and again: often while something goes on, seldom while nothing does. After trouble it looks
 * later and later, and never earlier than the service asks it to.
 */
export function createPoller({ pace, look, ...options }: PollerOptions): SourceJob {
  const { everyMs, atMostMs } = pace;
  const turns = createTurns(options, {
    firstMs: everyMs,
    mostMs: Math.max(atMostMs, LONGEST_RETRY_MS),
  });
  let intervalMs = everyMs;
  return {
    nextAt: () => turns.nextAt(),
    run: () =>
      turns.take(async () => {
        intervalMs = nextInterval(pace, intervalMs, await look());
        return intervalMs;
      }),
  };
}
