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

export interface SeveralQuestion extends Question {
  readonly choices: readonly Choice[];
  readonly initial: readonly string[];
  /** Minimum number of choices. */
  readonly least: 0 | 1;
}

export interface OneQuestion extends Question {
  readonly choices: readonly Choice[];
  readonly initial: string;
}

export interface YesOrNoQuestion extends Question {
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
export interface Questions {
  readonly several: (question: SeveralQuestion) => Promise<readonly string[]>;
  readonly one: (question: OneQuestion) => Promise<string>;
  readonly yesOrNo: (question: YesOrNoQuestion) => Promise<boolean>;
  readonly text: (question: TextQuestion) => Promise<string>;
}

interface SilentQuestions extends Questions {
  /** The options that would have answered the unanswered questions. */
  readonly unanswered: () => readonly string[];
}

/**
 * Gives answers without prompting, for scripts, and records the questions it cannot answer.
 *
 * @param knows `defaults`: every question that has a default; `nothing`: none
 */
export function silentQuestions(knows: 'defaults' | 'nothing'): SilentQuestions {
  const flags: string[] = [];
  const answered = <Answer>(flag: string, initial: Answer): Promise<Answer> => {
    if (knows === 'nothing') flags.push(flag);
    return Promise.resolve(initial);
  };
  return {
    unanswered: () => flags,
    several: ({ flag, initial }) => answered(flag, initial),
    one: ({ flag, initial }) => answered(flag, initial),
    yesOrNo: ({ flag, initial }) => answered(flag, initial),
    text: ({ flag, initial }) => {
      if (initial !== null) return answered(flag, initial);
      flags.push(flag);
      return Promise.resolve('');
    },
  };
}
