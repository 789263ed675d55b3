import type { AgentName, Kind } from './hook-event.ts';
import type { HookFacts } from './facts.ts';
import type { FileChange } from './file-change.ts';
import type { LookedUp } from './looked-up.ts';

/**
 * What a session does right now.
 *
 * - `working`: a prompt, a tool call or any other sign of work came last.
 * - `waiting`: it asked for a permission or an input, and nothing came since.
 * - `done`: a turn ended well (or was interrupted) and nobody prompted again.
 * - `failed`: a turn ended with an error.
 * - `ended`: the session is over; a later event of the same id opens it again.
 */
export const sessionStates = ['working', 'waiting', 'done', 'failed', 'ended'] as const;
export type SessionState = (typeof sessionStates)[number];

export interface Session {
  readonly key: string;
  /** The paired machine it runs on; null: this one. */
  readonly machine: string | null;
  readonly agent: AgentName;
  readonly sessionId: string | null;
  readonly state: SessionState;
  /** When `state` was entered, Unix ms. */
  readonly stateSince: number;
  readonly startedAt: number;
  /** When the running turn began (the last prompt), moved on by the time it waited for answers; null between turns. */
  readonly turnStartedAt: number | null;
  /** How long the agent was at work in the turn that ended last, ms, without what it waited for answers; null when its start was not seen. */
  readonly lastTurnMs: number | null;
  /** Files that tools changed in the turn that runs or ended last, as far as the agent says so. */
  readonly changes: readonly FileChange[];
  readonly lastEventAt: number;
  readonly lastKind: Kind;
  readonly lastEventId: string;
  /** What it waits for: the text of the question, null unless waiting. */
  readonly waitingFor: string | null;
  readonly project: string | null;
  readonly cwd: string | null;
  readonly title: string | null;
  /** First prompt of the session, cut; serves as a title where there is none. */
  readonly firstPrompt: string | null;
  readonly permissionMode: string | null;
  readonly attended: boolean | null;
  readonly facts: HookFacts;
  /** Null: nothing was found out yet. */
  readonly lookedUp: LookedUp | null;
}
