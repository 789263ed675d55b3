import type { JsonObject } from '../platform/json.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import type { StartTimer } from '../platform/time.ts';

/** Common to every question: its text, and the command-line option that answers it. */
interface Question {
  readonly message: string;
  /** Such as "--channel TYPE". */
  readonly flag: string;
}

export interface Choice {
  readonly value: string;
  readonly label?: string;
  readonly hint?: string;
}

interface SeveralQuestion extends Question {
  readonly choices: readonly Choice[];
  readonly initial: readonly string[];
  readonly least: 0 | 1;
}

interface OneQuestion extends Question {
  readonly choices: readonly Choice[];
  readonly initial: string;
}

interface YesOrNoQuestion extends Question {
  readonly initial: boolean;
}

export interface TextQuestion extends Question {
  /** Default for an empty answer; null: an answer is required. */
  readonly initial: string | null;
  readonly placeholder?: string;
  readonly look: 'shown' | 'hidden';
  /** What is wrong with an answer, as the rest of a sentence that begins with "It"; null if nothing. */
  readonly fault: (answer: string) => string | null;
}

/** Source of answers: a user at a terminal, the defaults, or a test. */
export interface Prompts {
  readonly several: (question: SeveralQuestion) => Promise<readonly string[]>;
  readonly one: (question: OneQuestion) => Promise<string>;
  readonly yesOrNo: (question: YesOrNoQuestion) => Promise<boolean>;
  readonly text: (question: TextQuestion) => Promise<string>;
  /** Runs the guided set-up of a channel; absent where no person can be asked. */
  readonly guided?: (guide: (use: SetUpGuide) => Promise<GuidedAnswer>) => Promise<GuidedAnswer>;
}

/** What a person at a terminal chose for a channel. */
export interface GuidedAnswer {
  /** Options as in the configuration, without secrets. */
  readonly options: JsonObject;
  /** Secrets to store where only the user can read them, and the options they belong to. */
  readonly secrets: readonly { readonly path: readonly string[]; readonly value: string }[];
}

/** What the guided set-up of a channel uses. */
export interface SetUpGuide {
  /** They reject with a FailedError when the person stops. */
  readonly questions: Prompts;
  /** As `questions.one`, with the ways to leave this channel added: they reject, too. For steps that may never succeed. */
  readonly choose: Prompts['one'];
  readonly say: (text: string) => void;
  /** Shows a link, and as a QR code where the terminal has space for one. */
  readonly showLink: (link: string) => Promise<void>;
  /** Aborts when the person stops, such as by Ctrl-C, while no question is shown. */
  readonly signal: AbortSignal;
  readonly outbound: Outbound;
  readonly now: () => number;
  readonly startTimer: StartTimer;
}
