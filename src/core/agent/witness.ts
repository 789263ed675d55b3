import type { HookFacts } from '../facts.ts';

/**
 * What an agent itself says about one of its sessions, whether or not a hook runs.
 *
 * - `working`: a turn runs. `waiting`: it shows a dialog that a person has to answer.
 * - `idle`: it is at its prompt. `ended`: its process has ended.
 */
const statedStates = ['working', 'waiting', 'idle', 'ended'] as const;
export type StatedState = (typeof statedStates)[number];

export interface AgentStatement {
  readonly state: StatedState;
  /** When the agent entered the state, by its own clock, Unix ms. */
  readonly since: number;
  /** The agent's own word for what it waits for; null in other states, or unsaid. */
  readonly waitingFor: string | null;
}

export interface RecordedSession extends AgentStatement {
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly pid: number;
  /** When the process started, in clock ticks since the boot; null: unsaid. */
  readonly start: string | null;
  /** The agent's version and the agent's own word for where it runs, such as "claude-vscode". */
  readonly version: string | null;
  readonly surface: string | null;
}

/** What a process waits for that has not begun its session: no agent has a word for it. */
export const FIRST_QUESTION = 'first question';

/** The fact that marks an event as a statement of the agent, such as "waiting 1795824904014 2.1.332". */
export function seenFact({ state, since, version = null }: Said): string {
  const isPlain = version !== null && /^[\w.+-]{1,40}$/.test(version);
  return isPlain ? `${state} ${since} ${version}` : `${state} ${since}`;
}

type Said = Pick<AgentStatement, 'state' | 'since'> & { readonly version?: string | null };

/** The last statement that became an event of a session, or the one that an event is made of; null: none. */
export function seenIn({ seen }: HookFacts): Said | null {
  const [word, time, version = null] = seen?.split(' ') ?? [];
  const state = statedStates.find((known) => known === word);
  const since = Number(time);
  return state !== undefined && Number.isFinite(since) ? { state, since, version } : null;
}

/** Whether only the agent's own record has ever shown a session: a hook reports its process. */
export function isWithoutHooks(facts: HookFacts): boolean {
  return facts.seen !== undefined && facts.ppid === undefined;
}

/** In the recorded reason why a hook that came after the record did not notify. */
export const LATE_HOOK = 'before its hook arrived';

const CONFIRMED = 'The record of the session shows it, too: ';

/** The recorded reason that the record has shown what a hook reported before. */
export function confirmation(said: Said): string {
  return `${CONFIRMED}${seenFact(said)}`;
}

/** The statement of a confirmation among the decisions of an event, in JSON; null: there is none. */
export function confirmedIn(decisions: string): Said | null {
  const at = decisions.indexOf(CONFIRMED);
  if (at < 0) return null;
  const from = at + CONFIRMED.length;
  return seenIn({ seen: decisions.slice(from, decisions.indexOf('"', from)) });
}

/** The name of the event for a failed turn that only the transcript shows: src/daemon/transcripts/turn-watch.ts. */
export const FAILED_TURN = 'TranscriptFailure';

/** Prefix of the names of events that are made of statements, which no agent uses for its own. */
export const SEEN_EVENT = 'Seen';

/** The facts of a session after an event: a hook's are newer, and what no hook can say stays known. */
export function factsAfter(before: HookFacts, event: HookFacts): HookFacts {
  if (Object.keys(event).length === 0) return before;
  const { seen, host } = before;
  return { ...(seen !== undefined && { seen }), ...(host !== undefined && { host }), ...event };
}
