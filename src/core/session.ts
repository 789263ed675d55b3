import type { AgentName, HookEvent, Kind, FileChange } from './hook-event.ts';
import type { LookedUp } from './looked-up.ts';
import type { HookFacts } from './facts.ts';

/**
 * The current state of a session.
 *
 * - `working`: a prompt, a tool call or any other sign of work came last.
 * - `waiting`: it asked for a permission or an input, without an event since.
 * - `paused`: a turn ended and the session wakes itself later, see `Schedule`.
 * - `done`: a turn succeeded (or was interrupted), without a prompt since.
 * - `failed`: a turn ended with an error.
 * - `ended`: the session ended; a later event of the same id reopens it.
 */
export const sessionStates = ['working', 'waiting', 'paused', 'done', 'failed', 'ended'] as const;
export type SessionState = (typeof sessionStates)[number];

/** The times at which a session wakes itself, as its last finished turn reported them. */
export interface Schedule {
  /** The next of them, Unix ms; null: it cannot be read for certain. A busy agent wakes later. */
  readonly until: number | null;
  /** How many turns have ended with a schedule. */
  readonly round: number;
  /** Whether a person began the running turn: they wait for its end. */
  readonly prompted: boolean;
  /** The prompts with which it wakes itself, see `promptMark`. */
  readonly prompts: readonly string[];
}

/** The usage limit that stopped a session; null once it works again. */
export interface UsageLimit {
  /** What was hit, such as "session limit". */
  readonly what: string;
  /** When it ends, Unix ms; null: that cannot be read for certain, and no one is promised a message. */
  readonly until: number | null;
  /** When it stopped the session, Unix ms. */
  readonly since: number;
  /** The failure that reported it. */
  readonly eventId: string;
  /** Whether people were notified of its end. */
  readonly told: boolean;
}

export interface Session {
  readonly key: string;
  /** The paired machine it runs on; null: this one. */
  readonly machine: string | null;
  readonly agent: AgentName;
  readonly sessionId: string | null;
  readonly state: SessionState;
  readonly stateSince: number;
  readonly startedAt: number;
  /** When the running turn started (the last prompt), moved by the time it waited for answers; null between turns. */
  readonly turnStartedAt: number | null;
  /** Without waiting for answers; null if its start was not seen. */
  readonly lastTurnMs: number | null;
  /** Files that tools changed in the current or last turn, as far as the agent reports them. */
  readonly changes: readonly FileChange[];
  readonly lastEventAt: number;
  readonly lastKind: Kind;
  readonly lastEventId: string;
  /** Null: it does not wake itself, as far as known. */
  readonly schedule: Schedule | null;
  readonly usageLimit: UsageLimit | null;
  /** Text of the question it waits for, or of the failure of its turn; null in other states. */
  readonly waitingFor: string | null;
  readonly project: string | null;
  readonly cwd: string | null;
  readonly title: string | null;
  /** First prompt of the session, cut; used as the title without another one. */
  readonly firstPrompt: string | null;
  readonly permissionMode: string | null;
  readonly attended: boolean | null;
  readonly facts: HookFacts;
  /** Null: not looked up yet. */
  readonly lookedUp: LookedUp | null;
}

/** Such as "paused until 14:30, round 3"; null unless the session is paused. */
export function pausedText<Time>(
  {
    state,
    schedule,
  }: {
    readonly state: SessionState;
    readonly schedule: { readonly until: Time | null; readonly round: number } | null;
  },
  timeText: (time: Time) => string,
): string | null {
  if (state !== 'paused' || schedule === null) return null;
  const { until, round } = schedule;
  return `paused${until === null ? ', time unknown' : ` until ${timeText(until)}`}, round ${round}`;
}

/** A turn whose end was not reported yet. */
export interface RunningTurn {
  readonly since: number;
  /** The latest event of its session that names the transcript. */
  readonly event: HookEvent;
}

export interface SessionStore {
  /** Waiting sessions first, longest waiting on top; then the others, latest event first. */
  list(query: {
    readonly limit: number;
    readonly states?: readonly SessionState[];
  }): Promise<readonly Session[]>;
  /** With this key or id, or else whose id begins so, `limit` per agent; this machine's first. */
  named(name: string, limit: number): Promise<readonly Session[]>;
  /** The keys of the sessions with this id that run on other machines. */
  elsewhere(sessionId: string): Promise<readonly string[]>;
  /** Changes the looked-up details of a known session; `change` runs inside the transaction. */
  noteLookedUp(sessionKey: string, change: (before: LookedUp | null) => LookedUp): Promise<void>;
  /** Sessions that a usage limit stopped; `like`: only those of the same agent and machine. */
  limited(like?: Pick<Session, 'agent' | 'machine'>): Promise<readonly Session[]>;
  /** Notes that people were notified of the end of these limits, unless a session has met another one since. */
  noteLimitTold(sessions: readonly Pick<Session, 'key' | 'usageLimit'>[]): Promise<void>;
  /** Running turns of these agents on this machine with a transcript, the session with the latest event first. */
  runningTurns(query: {
    readonly agents: readonly AgentName[];
    readonly limit: number;
  }): Promise<readonly RunningTurn[]>;
}

/** A process id that may be an agent's, from a hook's header; null if it cannot be. */
export function processId(fact: string | undefined): number | null {
  const pid = Number(fact);
  // Process 1 adopts orphans, so it is never an agent.
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}

/** The process that the agent itself names as its own; null: it names none. */
export function namedProcess(agent: AgentName, facts: HookFacts): number | null {
  // An agent started by Claude Code inherits the variable, which then names another process.
  return agent === 'claude' ? processId(facts.claude_pid) : null;
}

/** The agent's process, or else the one that ran its hook: the agent, or a shell that ended with the hook. */
export function agentProcess(agent: AgentName, facts: HookFacts): number | null {
  return namedProcess(agent, facts) ?? processId(facts.ppid);
}
