import { agentsFailingSilently, failureIn } from '../../agents/complete.ts';
import { decodePayload } from '../../agents/decode.ts';
import type { HookRecord } from '../../core/hook-event.ts';
import type { RunningTurn } from '../../core/session.ts';
import type { EventSink, Store } from '../../core/store.ts';
import { hashedId } from '../../platform/crypto.ts';
import type { Clock } from '../../platform/time.ts';

/** At most this many transcripts are read in a round: each may cost 256 KB. */
const AT_ONCE = 20;

interface TurnWatchOptions extends EventSink {
  readonly store: Pick<Store, 'sessions' | 'events'>;
  /** The end of a transcript, as text; null if it cannot be read. */
  readonly readTail: (path: string) => Promise<string | null>;
  readonly now: Clock;
}

/**
 * Finds failed turns of agents that run no hook then (Codex, Copilot CLI) in their transcripts. A turn whose transcript
 * cannot be read, or has an unknown shape, keeps running.
 */
export function createTurnWatch(options: TurnWatchOptions) {
  const { store, readTail, decide, prepare, onCommitted, now } = options;
  /** The event of the failure; null if the turn goes on. */
  async function lookAt({ event, since }: RunningTurn): Promise<HookRecord | null> {
    const tail = event.transcriptPath === null ? null : await readTail(event.transcriptPath);
    const found = tail === null ? null : failureIn(event, { since, tail });
    if (found === null) return null;
    const { payload, turn, at } = found;
    const decoded = decodePayload({ payload, facts: event.facts });
    if (!decoded.ok) return null;
    const { agent, sessionKey } = event;
    const id = hashedId(`${sessionKey} ${turn}`);
    const receivedAt = now();
    const times = { at: Math.min(at, receivedAt), receivedAt };
    return { event: { ...decoded.event, agent, sessionKey, id, ...times }, payload };
  }

  /** Checks the running turns now; returns how many have failed. */
  async function look(): Promise<number> {
    const turns = await store.sessions.runningTurns({
      agents: agentsFailingSilently,
      limit: AT_ONCE,
    });
    const found = await Promise.all(turns.map(lookAt));
    const failed = found.filter((record) => record !== null);
    if (failed.length === 0) return 0;
    const verdicts = await store.events.accept(failed.map(prepare), decide);
    if (verdicts.includes('committed')) onCommitted();
    return failed.length;
  }

  return { look };
}
