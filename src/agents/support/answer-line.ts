import { isJsonObject } from '../../platform/json.ts';
import type { OfferedAnswer } from '../../core/question.ts';
import {
  type AgentRequest,
  isPlan,
  isQuestion,
  patternsOf,
  planOf,
  questionsOf,
  suggestionsOf,
} from './request.ts';

/** The part of an answer that the agent gets. */
type GivenAnswer = Pick<OfferedAnswer, 'choice' | 'words' | 'answers'>;

const DENIED = 'The user denied this request.';
/** A pipe holds more than this without a reader; a longer answer is refused instead of being cut. Bytes. */
const MOST_BYTES = 60_000;

/**
 * The line of JSON with which a hook answers for the person, exactly in the shape that was measured: some agents discard an answer
 * with any other field.
 *
 * @returns null if the agent would not take such an answer
 */
export function answerLine(
  request: AgentRequest | null,
  { choice, words, answers }: GivenAnswer,
): string | null {
  const given = { choice, words, answers };
  const document = request?.from === 'plugin' ? forPlugin(request, given) : forHook(request, given);
  if (document === null) return null;
  const line = JSON.stringify(document);
  return Buffer.byteLength(line) <= MOST_BYTES ? line : null;
}

function forHook(request: AgentRequest | null, given: GivenAnswer): object | null {
  const decision = decisionOf(request, given);
  return decision === null
    ? null
    : { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
}

function decisionOf(
  request: AgentRequest | null,
  { choice, words, answers }: GivenAnswer,
): object | null {
  if (choice === 'deny') {
    return { behavior: 'deny', message: wordsOf(words) ?? DENIED };
  }
  if (request === null) return null;
  const allow = { behavior: 'allow' };
  switch (choice) {
    case 'allow': {
      const plan = planOf(request);
      if (isQuestion(request)) return null;
      // A bare allow leaves the prompt for a plan open.
      if (isPlan(request)) return plan === null ? null : { ...allow, updatedInput: { plan } };
      return allow;
    }
    case 'allow-session': {
      const suggestions = suggestionsOf(request);
      if (suggestions === null) return null;
      const rules = suggestions.map((one) => ({ ...one, destination: 'session' }));
      return { ...allow, updatedPermissions: rules };
    }
    case 'answer': {
      if (knownQuestions(request, answers) === null || !isJsonObject(request.input)) return null;
      return { ...allow, updatedInput: { questions: request.input['questions'], answers } };
    }
  }
}

/** The reply of our plugin of OpenCode. A rejection without a message would end the turn; a question can only be rejected without one. */
function forPlugin(request: AgentRequest, { choice, words, answers }: GivenAnswer): object | null {
  if (isQuestion(request)) {
    if (choice === 'deny') return wordsOf(words) === null ? { reject: true } : null;
    const asked = choice === 'answer' ? knownQuestions(request, answers) : null;
    if (asked === null) return null;
    return {
      answers: asked.map(({ text, several, options }) =>
        chosen(answers[text], several ? options : []),
      ),
    };
  }
  switch (choice) {
    case 'allow':
      return { reply: 'once' };
    case 'allow-session':
      return patternsOf(request) === null ? null : { reply: 'always' };
    case 'deny':
      return { reply: 'reject', message: wordsOf(words) ?? DENIED };
    case 'answer':
      return null;
  }
}

/** One list for each question. Several options are joined by ", ", which a label may have in it. */
function chosen(answer: string | undefined, options: readonly string[]): readonly string[] {
  if (answer === undefined) return [];
  const labels = answer.split(', ');
  return labels.length > 1 && labels.every((label) => options.includes(label)) ? labels : [answer];
}

/** The questions; null if there are none, no answer is given, or one is to another question. */
function knownQuestions(request: AgentRequest, answers: GivenAnswer['answers']) {
  const asked = questionsOf(request);
  const keys = Object.keys(answers);
  const areKnown = keys.every((key) => asked?.some(({ text }) => text === key));
  return keys.length > 0 && areKnown ? asked : null;
}

function wordsOf(words: string | null): string | null {
  return words === null || words.trim() === '' ? null : words;
}
