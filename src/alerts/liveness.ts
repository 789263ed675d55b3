import { isHandMade } from '../core/hand-made.ts';
import type { Session } from '../core/session.ts';
import type { SessionEnd } from '../core/store.ts';

const HOUR_MS = 3_600_000;

/** No turn is silent for so long: somebody interrupted it, and agents send nothing then. */
const SILENT_WORK_MS = 6 * HOUR_MS;
/** A question may well wait over night; after that nobody is known to wait any more. */
const SILENT_QUESTION_MS = 24 * HOUR_MS;
/** Nobody answers an event made by hand. As long as this the later steps of its plan may be watched. */
const HAND_MADE_MS = HOUR_MS / 4;

export interface LifeSigns {
  /** Whether the agent's own process exists; null where its number is not known. */
  readonly processAlive: boolean | null;
  /** Whether the pane of the terminal it ran in is certainly gone, or was given to another program. */
  readonly paneGone: boolean;
  readonly now: number;
}

/**
 * Whether a session that works or waits is over although nobody said so: its agent was killed, interrupted by a key, or
 * never was.
 *
 * @returns null while it may well go on
 */
export function silentEnd(
  session: Session,
  { processAlive, paneGone, now }: LifeSigns,
): Omit<SessionEnd, 'exceptChannels'> | null {
  if (session.state !== 'working' && session.state !== 'waiting') return null;
  const { key, lastEventId } = session;
  const common = { key, lastEventId, at: now };
  if (processAlive === false) {
    return { ...common, state: 'ended', reason: 'The process of the agent is gone' };
  }
  // A process that is seen to live has outlived its pane.
  if (paneGone && processAlive === null) {
    return { ...common, state: 'ended', reason: 'The tmux pane of the agent is gone' };
  }
  const silentMs = now - session.lastEventAt;
  if (isHandMade(session.sessionId) && silentMs >= HAND_MADE_MS) {
    return {
      ...common,
      state: 'ended',
      reason: 'Made by hand 15 minutes ago: no agent is behind it',
    };
  }
  if (session.state === 'working' && silentMs >= SILENT_WORK_MS) {
    return { ...common, state: 'done', reason: 'Silent for 6 hours: no longer taken to work' };
  }
  if (session.state === 'waiting' && processAlive === null && silentMs >= SILENT_QUESTION_MS) {
    return { ...common, state: 'ended', reason: 'Silent for 24 hours: no longer taken to wait' };
  }
  return null;
}
