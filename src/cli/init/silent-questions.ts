import type { Questions } from './questions.ts';

export interface SilentQuestions extends Questions {
  /** The words of the command line that would have answered what nobody could. */
  readonly unanswered: () => readonly string[];
}

/**
 * Answers by itself, for scripts, and notes what it must not answer.
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
