import assert from 'node:assert/strict';

import type { Prompts } from '../../src/core/prompts.ts';

export interface ScriptedQuestions extends Prompts {
  /** What was asked, in order. */
  readonly asked: readonly string[];
}

type Answer = boolean | string | readonly string[];

/** A person who answers a question that holds one of these texts, and fails the test at any other question. */
export function scriptedQuestions(answers: Readonly<Record<string, Answer>>): ScriptedQuestions {
  const asked: string[] = [];
  const answerTo = (message: string): Answer => {
    asked.push(message);
    const [, answer] = Object.entries(answers).find(([part]) => message.includes(part)) ?? [];
    return answer ?? assert.fail(`Unexpected question "${message}"`);
  };
  const textTo = (message: string): string => {
    const answer = answerTo(message);
    return typeof answer === 'string' ? answer : assert.fail(`"${message}" wants a text`);
  };
  return {
    asked,
    several: async ({ message }) => {
      const answer = answerTo(message);
      return Array.isArray(answer) ? answer : assert.fail(`"${message}" wants a list`);
    },
    one: async ({ message }) => textTo(message),
    yesOrNo: async ({ message }) => answerTo(message) === true,
    text: async ({ message, fault, initial }) => {
      const answer = textTo(message);
      if (answer !== '' || initial === null) assert.equal(fault(answer), null, message);
      return answer;
    },
  };
}
