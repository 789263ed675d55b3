import type { Writable } from 'node:stream';

import type { CANCEL_SYMBOL } from '@clack/prompts';

import { FailedError } from '../../platform/errors.ts';
import type { Choice, Questions, TextQuestion } from './questions.ts';

/**
 * Asks the user at the terminal, with arrow keys.
 *
 * @returns questions that throw a FailedError at Ctrl-C and when the signal is aborted
 */
export function terminalQuestions(output: Writable, signal: AbortSignal): Questions {
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
