import type { AgentName, HookEvent, Kind } from '../hook-event.ts';
import type { Session } from '../session.ts';

/** What is particular to one agent, as data and pure functions of its file. Absent: the usual. */
export interface AgentTraits {
  /** How to recognize a process that the agent runs; absent: not possible. */
  readonly processes?: AgentProcesses;
  /** What an event means after a session (null: its first); null: what the payload says. */
  readonly refine?: (event: HookEvent, session: Session | null) => Refinement | null;
  /** Notification types that report the end of a usage limit: the session goes on by itself, or waits for a key. */
  readonly limitEnds?: { readonly goesOn: readonly string[]; readonly waits: readonly string[] };
  /** Sends `idle_prompt` as soon as it is at its prompt, even after a cancelled turn and before the first request. */
  readonly idlesPromptly?: boolean;
  /** May report the end of one turn twice, also of one that was not interrupted. */
  readonly endsTwice?: boolean;
  /** Its subagents work in the background: what the main conversation does answers no request of theirs. */
  readonly asksAside?: boolean;
  /** A tool call does not say which agent made it, so that the call of a subagent may answer the main conversation. */
  readonly hidesCaller?: boolean;
  /** Not an agent: its events belong to no session, unless one waits for an answer. */
  readonly passesBy?: true;
  /** The event of threads that it runs for a session beside it, and that have no hooks; other threads send it, too. */
  readonly helperEvent?: string;
  /** Its requests can be answered from elsewhere; absent: they cannot. */
  readonly answers?: AnswerTraits;
  /** A session at rest takes words of a person through its waiting hook; absent: it does not. */
  readonly words?: WordTraits;
}

export type TraitsOf = (agent: AgentName) => AgentTraits;

export interface Refinement {
  readonly kind: Kind;
  readonly reason: string;
}

export interface AgentProcesses {
  /** Names of its programs, without a suffix such as ".js". */
  readonly programs: readonly string[];
  /** The npm package, or only its scope, that an interpreter runs as the agent. */
  readonly packages?: readonly string[];
  /** Environment variables that it sets for the commands it runs. */
  readonly variables: readonly string[];
}

export interface AnswerTraits {
  /** How long it lets its hook wait, with a reserve so that the daemon lets go first, ms. */
  readonly longestHoldMs: number;
  /** Accepts answers to questions, not only to permissions. */
  readonly takesQuestions?: boolean;
  /** Accepts its own offer to allow something from now on, limited to the session. */
  readonly takesSuggestions?: boolean;
  /** Reports each answer with its request, so that no other event confirms one. */
  readonly reportsAnswers?: boolean;
  /** A file in which it keeps whether it shows a prompt. */
  readonly record?: PromptRecord;
}

export interface PromptRecord {
  /** Null: it is not known where. */
  readonly pathOf: (
    event: Pick<HookEvent, 'machine' | 'transcriptPath'>,
    agentPid: number | null,
  ) => string | null;
  /** When the prompt that was open since then was answered in the terminal, Unix ms; or null. */
  readonly answeredAt: (
    record: string,
    asked: { readonly sessionId: string | null; readonly openedAt: number },
  ) => number | null;
}

export interface WordTraits {
  /** The JSON with which its hook passes the words on. */
  readonly documentOf: (text: string) => object;
  /** Shows a running hook, so that one waits only while the person is away. */
  readonly showsHook?: boolean;
  /** Whether the tail of its transcript has these words since then; absent: an event says it. */
  readonly tookWords?: (tail: string, text: string, since: number) => boolean;
}
