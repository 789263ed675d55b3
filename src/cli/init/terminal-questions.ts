import type { Writable } from 'node:stream';

import type { CANCEL_SYMBOL } from '@clack/prompts';

import { FailedError } from '../../platform/errors.ts';

/**
 * Asks the user at the terminal, with arrow keys.
 *
 * @returns questions that throw a FailedError at Ctrl-C and when the signal is aborted
 */
export function terminalQuestions(output: Writable, signal: AbortSignal): Prompts {
  const common = { output, signal };
  // The package is loaded with the first question: most calls of the command do not prompt.
  return {
    several: async ({ message, choices, initial, least }) => {
      const { multiselect } = await import('@clack/prompts');
      const options = choices.map(optionOf);
      const required = least > 0;
      return answerOf(
        await multiselect({ ...common, message, options, initialValues: initial, required }),
      );
    },
    one: async ({ message, choices, initial }) => {
      const { select } = await import('@clack/prompts');
      const options = choices.map(optionOf);
      return answerOf(await select({ ...common, message, options, initialValue: initial }));
    },
    yesOrNo: async ({ message, initial }) => {
      const { confirm } = await import('@clack/prompts');
      return answerOf(await confirm({ ...common, message, initialValue: initial }));
    },
    text: async (question) => {
      const { password, text } = await import('@clack/prompts');
      const { message, look, initial, placeholder = initial ?? '' } = question;
      const asked = { ...common, message, validate: validatorOf(question) };
      const answer =
        look === 'hidden'
          ? await password(asked)
          : await text({ ...asked, placeholder, defaultValue: initial ?? '' });
      return answerOf(answer).trim();
    },
  };
}

/** The package returns a symbol on Ctrl-C. */
function answerOf<Answer extends boolean | string | readonly string[]>(
  answer: Answer | typeof CANCEL_SYMBOL,
): Answer {
  if (typeof answer !== 'symbol') return answer;
  throw new FailedError('Setup was interrupted', { hint: 'Nothing was changed' });
}

function validatorOf({ initial, fault }: TextQuestion) {
  return (typed: string | undefined): string | undefined => {
    const answer = typed?.trim() ?? '';
    if (answer === '' && initial !== null) return undefined;
    const reason = answer === '' ? 'is required' : fault(answer);
    return reason === null ? undefined : `It ${reason}`;
  };
}

function optionOf({ value, label = value, hint }: Choice) {
  return { value, label, ...(hint === undefined ? {} : { hint }) };
}

/** Common to every question: its text, and the command-line option that answers it. */
interface Question {
  readonly message: string;
  /** Such as "--channel TYPE". */
  readonly flag: string;
}

interface Choice {
  readonly value: string;
  readonly label?: string;
  readonly hint?: string;
}

interface SeveralQuestion extends Question {
  readonly choices: readonly Choice[];
  readonly initial: readonly string[];
  /** Minimum number of choices. */
  readonly least: 0 | 1;
}

interface OneQuestion extends Question {
  readonly choices: readonly Choice[];
  readonly initial: string;
}

interface YesOrNoQuestion extends Question {
  readonly initial: boolean;
}

interface TextQuestion extends Question {
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
}

interface SilentQuestions extends Prompts {
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
