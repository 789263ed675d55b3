import type { Ask } from '../../src/attention/presence.ts';

export interface Answering {
  readonly ask: Ask;
  /** What was run, as command lines. */
  readonly asked: readonly string[];
}

/** Programs that answer when their command line ends with one of these words, and fail otherwise. */
export function answering(answers: Readonly<Record<string, string>>): Answering {
  const asked: string[] = [];
  return {
    asked,
    ask: async (program, arguments_) => {
      const line = [program, ...arguments_].join(' ');
      asked.push(line);
      return Object.entries(answers).find(([end]) => line.endsWith(end))?.[1] ?? null;
    },
  };
}
