import { z } from 'zod';

import type { AgentName } from './hook-event.ts';

/**
 * - `held`: its hook waits, and the first answer wins.
 * - `answered`: a person answered, and the answer was sent to the agent. With `closedAt` it is not known whether it arrived.
 * - `confirmed`: an event shows that the agent used the answer.
 * - `overtaken`: an event shows that it did not, because the terminal was first.
 * - `released`: the hook was let go without an answer; the agent asks in its terminal, or the person answered there.
 *
 * held → answered → confirmed | overtaken; held → released. Nothing leads back.
 */
export const questionStates = ['held', 'answered', 'confirmed', 'overtaken', 'released'] as const;
export type QuestionState = (typeof questionStates)[number];

/**
 * What a person can decide. `allow-session`: also what the agent suggests to allow for the rest of the session. `answer`: the
 * answers to the questions of the agent.
 */
export const decisionChoices = ['allow', 'allow-session', 'deny', 'answer'] as const;
export type DecisionChoice = (typeof decisionChoices)[number];

/** `open`: until it is answered. `away`: only while the person is away, because the agent cannot ask meanwhile. */
export const holds = ['open', 'away'] as const;
export type Hold = (typeof holds)[number];

/** How long the requests of each agent may be held; null: never. */
export interface HoldPolicy {
  /** An agent that is not named has no request held. */
  readonly agents: Readonly<Partial<Record<AgentName, Hold | null>>>;
  /** Of agents whose subagents are treated in another way. */
  readonly subagents: Readonly<Partial<Record<AgentName, Hold | null>>>;
}

/** Who decided what, and where. */
export interface Answer {
  readonly choice: DecisionChoice;
  /** The person, such as the name of the user. */
  readonly by: string;
  /** The channel, such as "the command line". */
  readonly via: string;
  /** Unix ms. */
  readonly at: number;
}

export interface Question {
  readonly id: string;
  readonly sessionKey: string;
  readonly agent: AgentName;
  readonly agentId: string | null;
  readonly tool: string | null;
  /** An answer carries it, so that it cannot reach another request. */
  readonly requestHash: string;
  /** The part of it that later events repeat. */
  readonly callHash: string | null;
  readonly hold: Hold;
  /** What may be decided from elsewhere, by what can be shown. */
  readonly choices: readonly DecisionChoice[];
  readonly state: QuestionState;
  readonly openedAt: number;
  /** When the hook is let go at the latest, Unix ms. */
  readonly deadline: number;
  readonly answer: Answer | null;
  /** When it was released, confirmed or overtaken, Unix ms. */
  readonly closedAt: number | null;
  /** Why, as a sentence without a full stop; null before. */
  readonly reason: string | null;
}

export interface QuestionStore {
  add(question: Question): Promise<void>;
  /** Replaces a question that is still in the state `from`. False if it is not: then nothing is written. */
  change(question: Question, from: QuestionState): Promise<boolean>;
  /** Releases those of this process, and of processes that are gone. Returns how many. */
  release(reason: string, now: number): Promise<number>;
  latest(limit: number): Promise<readonly Question[]>;
}

/** An answer as it arrives from a person. */
export interface OfferedAnswer {
  readonly choice: DecisionChoice;
  readonly by: string;
  readonly via: string;
  /** The hash of the request that the person saw. */
  readonly requestHash: string;
  /** The channel in whose notification it was given; absent: elsewhere. */
  readonly channel?: string;
  /** With `deny`: what the model is to do instead; null: nothing was said. Never stored. */
  readonly words: string | null;
  /** With `answer`: by the text of the question. Never stored. */
  readonly answers: Readonly<Record<string, string>>;
}

export interface AgentQuestion {
  readonly text: string;
  readonly options: readonly string[];
  /** What each option means, in their order; absent: the agent does not say. */
  readonly descriptions?: readonly string[];
  readonly several: boolean;
}

/** An open question with what a person needs to decide it. */
export interface ShownQuestion {
  readonly question: Question;
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly cwd: string | null;
  /** The whole request, safe to print; null if it cannot be shown as it is. */
  readonly text: string | null;
  /** What the agent asks, if it asks a question. */
  readonly asks: readonly AgentQuestion[];
  readonly agentPid: number | null;
}

/** Whether an answer was sent; `reason` is a sentence for the person whose answer was not. */
export type AnswerResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason: string;
      /** The email address of that person, at a hub; absent: unknown, or the user of this machine. */
      readonly person?: string;
    };

/**
 * The outcome of words to a session.
 *
 * - `confirmed`: the session has exactly these words.
 * - `sent`: its agent got them, and nothing has shown yet that the session has them.
 * - `refused`: nothing was sent; `reason` is a sentence without a full stop.
 */
export type WordsSent =
  | { readonly state: 'confirmed' | 'sent' }
  | { readonly state: 'refused'; readonly reason: string };

/** How long a session is looked at for the words that it was sent, ms: a model may think before it says anything. */
export const WORDS_PROOF_MS = 30_000;

/** The way to sessions at rest whose hook waits for words of a person. */
export interface WordSender {
  /** @param text not empty */
  send(sessionKey: string, text: string): Promise<WordsSent>;
}

/** Open questions, and the way to answer them. */
export interface Questions {
  /** Held and answered questions whose end is not known yet, oldest first. */
  shown(): readonly ShownQuestion[];
  /** The first answer wins. */
  answer(id: string, offered: OfferedAnswer): Promise<AnswerResult>;
}

/** A question of a program, such as an agent that speaks through MCP. */
export const programAskSchema = z.strictObject({
  /** Identifies the question: asked again, it gets the answer that was given meanwhile. */
  id: z.string().regex(/^[\w.-]{1,64}$/),
  /** Whether its answer is given again, although the program has had it. */
  again: z.boolean(),
  session: z.string().regex(/^mcp-[0-9a-f]{8}$/),
  /** What the program calls itself. */
  host: z.string().max(40).nullable(),
  cwd: z.string().max(4_096),
  /** The process that the program works for: once it is gone, no one needs the answer. */
  pid: z.int().positive(),
  question: z.string().min(1).max(2_000),
  options: z.array(z.string().min(1).max(100)).max(8),
  forMs: z.int().min(1_000).max(86_400_000),
  waitMs: z.int().min(0).max(25_000),
});
export type ProgramAsk = Readonly<z.output<typeof programAskSchema>>;

/** `refused`: it was not asked. `over`: withdrawn, or not answered in time. `reason`: why; of `declined`, the person's words. */
export interface ProgramAnswer {
  readonly state: 'open' | 'answered' | 'declined' | 'over' | 'refused';
  readonly answer: string | null;
  readonly reason: string | null;
}
