import { isHandMade } from '../core/hand-made.ts';
import type { Session, SessionState } from '../core/session.ts';
import type { SessionEnd } from '../core/alert.ts';

const HOUR_MS = 3_600_000;

/** A turn without an event for this long was interrupted: agents send no event then. */
const SILENT_WORK_MS = 6 * HOUR_MS;
/** A question may wait overnight; after this long the session no longer counts as waiting. */
const SILENT_QUESTION_MS = 24 * HOUR_MS;
/** An event made by hand gets no answer; it stays open this long, so that later steps of its plan can be watched. */
const HAND_MADE_MS = HOUR_MS / 4;

/** The states of sessions whose end is looked for: the others have ended a turn, and wait for nothing. */
export const openStates: readonly SessionState[] = ['working', 'waiting', 'paused'];

export interface LifeSigns {
  /** Whether the agent's process exists; null if its id is unknown. */
  readonly processAlive: boolean | null;
  /** Whether its terminal pane is certainly gone or runs another program. */
  readonly paneGone: boolean;
  readonly now: number;
}

/**
 * Detects the end of a working, waiting or paused session without an event: its agent was killed, interrupted by a key, or
 * never existed.
 *
 * @returns null while it may still run
 */
export function silentEnd(
  session: Session,
  { processAlive, paneGone, now }: LifeSigns,
): Omit<SessionEnd, 'exceptChannels'> | null {
  if (!openStates.includes(session.state)) return null;
  const { key, lastEventId } = session;
  const common = { key, lastEventId, at: now };
  if (processAlive === false) {
    return { ...common, state: 'ended', reason: "The agent's process is gone" };
  }
  // A process that still exists has outlived its pane.
  if (paneGone && processAlive === null) {
    return { ...common, state: 'ended', reason: "The agent's tmux pane is gone" };
  }
  const silentMs = now - session.lastEventAt;
  if (isHandMade(session.sessionId) && silentMs >= HAND_MADE_MS) {
    return {
      ...common,
      state: 'ended',
      reason: 'Triggered by hand 15 minutes ago, without an agent',
    };
  }
  if (session.state === 'working' && silentMs >= SILENT_WORK_MS) {
    return { ...common, state: 'done', reason: 'Silent for 6 hours: no longer considered working' };
  }
  const isTimeKnown = session.schedule !== null && session.schedule.until !== null;
  if (session.state === 'paused' && !isTimeKnown && silentMs >= SILENT_QUESTION_MS) {
    return { ...common, state: 'done', reason: 'Silent for 24 hours: no longer considered paused' };
  }
  if (session.state === 'waiting' && processAlive === null && silentMs >= SILENT_QUESTION_MS) {
    return {
      ...common,
      state: 'ended',
      reason: 'Silent for 24 hours: no longer considered waiting',
    };
  }
  return null;
}
