import type { RequestAnswer } from './alert.ts';
import type { AgentName, HookEvent } from './hook-event.ts';

/** A turn whose end was not reported yet. */
export interface RunningTurn {
  /** When it began, Unix ms. */
  readonly since: number;
  /** The latest event of its session that names the transcript. */
  readonly event: HookEvent;
}

/** The part of the store that is compared with transcripts: what has no end yet. */
export interface TranscriptStore {
  /** Open requests of this machine with a transcript, newest first; only of these sessions, if given. */
  openRequests(query: {
    readonly limit: number;
    readonly sessionKeys?: readonly string[];
  }): Promise<readonly HookEvent[]>;
  /** Running turns of these agents on this machine with a transcript, the session with the latest event first. */
  runningTurns(query: {
    readonly agents: readonly AgentName[];
    readonly limit: number;
  }): Promise<readonly RunningTurn[]>;
  /**
   * Resolves the live alert of a request, as `endSession` does, while the session goes on. False if the alert is
   * already closed: then nothing is written.
   */
  answerRequest(answer: RequestAnswer): Promise<boolean>;
}
