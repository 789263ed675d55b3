import { pause, systemTimer } from '../../platform/time.ts';
import type { FollowView, HistoryView } from '../../control/contract.ts';
import { DaemonUnreachableError } from '../../platform/errors.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import type { CommandContext } from '../context.ts';
import { withInterrupt } from '../refresh-loop.ts';

/** How long the daemon holds a request without new events, ms. */
const WAIT_MS = 20_000;
/** Pause before an unreachable daemon is called again, ms. */
const AWAY_MS = 500;
const PAGE = 200;
/** Number of ids kept to skip repeated events after the history was replaced. */
const REMEMBERED = 10_000;

export interface Follow {
  /** How many of the newest events to show first. */
  readonly limit: number | undefined;
  /** Start after this event (its full id) instead. */
  readonly after: string | undefined;
  /** Event filter of GET /v1/follow. */
  readonly filter: Readonly<Record<string, string | undefined>>;
}

/**
 * Shows events as they are committed, each once, until it is interrupted or its output is closed. The place reached
 * belongs to the history and not to the daemon, so a restart loses and repeats nothing.
 *
 * @throws DaemonUnreachableError if the daemon is not running at the start
 */
export async function followHistory(
  { output, ask }: Pick<CommandContext, 'output' | 'ask'>,
  { limit, after, filter }: Follow,
  show: (event: HistoryView) => void,
): Promise<void> {
  await withInterrupt(async (signal) => {
    const seen = new RecentMap<string, true>(REMEMBERED);
    let next: Readonly<Record<string, string | undefined>> = {
      after,
      limit: after === undefined ? limit?.toString() : String(PAGE),
    };
    let isAway: boolean | null = null;
    while (!signal.aborted) {
      const answer = await askPatiently({ ...next, ...filter });
      if (answer === null) continue;
      for (const event of answer.events) {
        if (seen.has(event.eventId)) continue;
        seen.set(event.eventId, true);
        show(event);
      }
      // Waits for a slow reader, so that lines do not fill the memory.
      await output.drained(signal);
      next = { cursor: answer.cursor, limit: String(PAGE), waitMs: String(WAIT_MS) };
    }

    /** Returns null while the daemon is unreachable, or after an interrupt. */
    async function askPatiently(query: typeof next): Promise<FollowView | null> {
      try {
        const answer = await ask('GET /v1/follow', { query, signal, timeoutMs: WAIT_MS + 10_000 });
        isAway = false;
        return answer;
      } catch (error) {
        if (signal.aborted) return null;
        if (!(error instanceof DaemonUnreachableError) || isAway === null) throw error;
        if (!isAway) output.complain('The daemon does not answer: waiting');
        isAway = true;
        await pause(AWAY_MS, systemTimer, signal);
        return null;
      }
    }
  });
}
