import { setTimeout as delay } from 'node:timers/promises';

import type { FollowView, HistoryView } from '../control/contract.ts';
import { DaemonUnreachableError } from '../platform/errors.ts';
import type { CommandContext } from './context.ts';
import { withInterrupt } from './refresh-loop.ts';

/** The daemon keeps a request waiting so long for news, ms. */
const WAIT_MS = 20_000;
/** Pause before a daemon that went away is asked again, ms. */
const AWAY_MS = 500;
const PAGE = 200;
/** As many ids are remembered to leave out what comes again after the history was replaced. */
const REMEMBERED = 10_000;

export interface Follow {
  /** How many of the newest come first. */
  readonly limit: number | undefined;
  /** Begin behind this event (its whole id) instead. */
  readonly after: string | undefined;
  /** Of GET /v1/follow: which events are wanted. */
  readonly filter: Readonly<Record<string, string | undefined>>;
}

/**
 * Shows events as they are committed, each once, until somebody interrupts or nobody reads any more. The place reached
 * belongs to the history and not to the daemon, so a restart loses and repeats nothing.
 *
 * @throws DaemonUnreachableError when there is no daemon at the beginning
 */
export async function followHistory(
  { output, ask }: Pick<CommandContext, 'output' | 'ask'>,
  { limit, after, filter }: Follow,
  show: (event: HistoryView) => void,
): Promise<void> {
  await withInterrupt(async (signal) => {
    const seen = new Set<string>();
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
        remember(seen, event.eventId);
        show(event);
      }
      // A slow reader is waited for, so that memory does not fill up with lines.
      await output.drained(signal);
      next = { cursor: answer.cursor, limit: String(PAGE), waitMs: String(WAIT_MS) };
    }

    /** Null while there is no daemon, or when it was interrupted. */
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
        await delay(AWAY_MS, undefined, { signal }).catch(() => undefined);
        return null;
      }
    }
  });
}

function remember(seen: Set<string>, id: string): void {
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
}
