import { firstJsonValue } from './json-text.ts';
import type { AgentName } from '../../core/hook-event.ts';
import type { AgentQuestion, DecisionChoice, OfferedAnswer } from '../../core/question.ts';
import { sha256 } from '../../platform/crypto.ts';
import { isJsonObject } from '../../platform/json.ts';
import { displayText } from '../../text/sanitize.ts';

/** A request for a permission as its agent sent it. */
export interface AgentRequest {
  readonly tool: string;
  /** Any JSON. */
  readonly input: unknown;
  /** What the agent offers to allow from now on; any JSON. */
  readonly suggestions: unknown;
}

/**
 * Hash of a tool call, the same in every event that repeats the call; null without a tool. The description of a command is left
 * out: Codex CLI names it only when it asks.
 */
export function callHash(tool: string | null, input: unknown): string | null {
  if (tool === null) return null;
  if (!isJsonObject(input) || input['command'] === undefined) {
    return sha256(stableJson([tool, input ?? null]));
  }
  const { description: _, ...call } = input;
  return sha256(stableJson([tool, call]));
}

/** Hash of everything in a request that an answer may use. */
export function requestHash(tool: string | null, input: unknown, suggestions: unknown): string {
  return sha256(stableJson([tool, input ?? null, suggestions ?? null]));
}

/** JSON in which the order of keys has no meaning: agents may change it from event to event. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/**
 * The request in a stored payload; null if it is not the one that the hook received: a secret was taken out, or a long text was
 * cut.
 */
export function readRequest(payload: Uint8Array, hash: string): AgentRequest | null {
  let document: unknown;
  try {
    document = JSON.parse(firstJsonValue(payload) ?? '');
  } catch {
    return null;
  }
  if (!isJsonObject(document)) return null;
  const { tool_name: tool, tool_input: input, permission_suggestions: suggestions } = document;
  if (typeof tool !== 'string' || requestHash(tool, input, suggestions) !== hash) return null;
  return { tool, input, suggestions };
}

/** Longer requests are answered where they can be read in peace: in the terminal. UTF-16 units. */
const MOST_SHOWN = 16_384;

/**
 * Every field of a request, for people; null if it cannot be shown as it is: too long, or with characters that a terminal hides or
 * obeys. A line that continues a value begins with "|", so that no value can look like a field.
 */
export function requestText(request: AgentRequest): string | null {
  const { tool, input } = request;
  const fields = isJsonObject(input) ? Object.entries(input) : [['input', input] as const];
  const lines = fields.map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
    return `  ${key}: ${text.split('\n').join('\n    | ')}`;
  });
  const suggestions = suggestionsOf(request);
  const offered = suggestions === null ? [] : [`  for the session: ${JSON.stringify(suggestions)}`];
  const text = [tool, ...lines, ...offered].join('\n');
  return text.length <= MOST_SHOWN && isShownAsIs(text) ? text : null;
}

/** Marks at both ends keep the trimming from counting as a change. */
function isShownAsIs(text: string): boolean {
  return displayText(`<${text}>`) === `<${text}>`;
}

const QUESTION_TOOL = 'AskUserQuestion';
const PLAN_TOOL = 'ExitPlanMode';

/**
 * What a person can decide about a request from elsewhere.
 *
 * @param request null if it cannot be shown whole: then it can only be denied
 */
export function choicesFor(
  agent: AgentName,
  request: AgentRequest | null,
): readonly DecisionChoice[] {
  if (request === null || requestText(request) === null) return ['deny'];
  if (request.tool === QUESTION_TOOL)
    return questionsOf(request) === null ? ['deny'] : ['deny', 'answer'];
  if (request.tool === PLAN_TOOL) return planOf(request) === null ? ['deny'] : ['allow', 'deny'];
  const isForSession = agent === 'claude' && suggestionsOf(request) !== null;
  return ['allow', ...(isForSession ? (['allow-session'] as const) : []), 'deny'];
}

/** The tools whose call an answer changes, so that later events repeat it with another input. */
export function isAnsweredByInput(tool: string | null): boolean {
  return tool === QUESTION_TOOL || tool === PLAN_TOOL;
}

/** The questions in a request; null if it asks none, or not in the known shape. */
export function questionsOf({ tool, input }: AgentRequest): readonly AgentQuestion[] | null {
  if (tool !== QUESTION_TOOL || !isJsonObject(input) || !Array.isArray(input['questions'])) {
    return null;
  }
  const asked: AgentQuestion[] = [];
  for (const one of input['questions']) {
    if (!isJsonObject(one) || typeof one['question'] !== 'string') return null;
    const options = Array.isArray(one['options']) ? one['options'] : [];
    const labels = options.map((option: unknown) =>
      isJsonObject(option) ? option['label'] : option,
    );
    const known = labels.filter((label): label is string => typeof label === 'string');
    if (known.length !== labels.length) return null;
    asked.push({ text: one['question'], options: known, several: one['multiSelect'] === true });
  }
  // The agent finds an answer by the text of its question.
  const texts = new Set(asked.map(({ text }) => text));
  return asked.length === 0 || texts.size < asked.length ? null : asked;
}

function planOf({ input }: AgentRequest): string | null {
  const plan = isJsonObject(input) ? input['plan'] : null;
  return typeof plan === 'string' && plan.trim() !== '' ? plan : null;
}

function suggestionsOf({ suggestions }: AgentRequest): readonly object[] | null {
  if (!Array.isArray(suggestions) || suggestions.length === 0) return null;
  return suggestions.every(isJsonObject) ? suggestions : null;
}

/** The part of an answer that the agent gets. */
type GivenAnswer = Pick<OfferedAnswer, 'choice' | 'words' | 'answers'>;

const DENIED = 'The user denied this request.';
/** A pipe takes so much without a reader, with a reserve; a longer answer is refused instead of being cut. Bytes. */
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
  const decision = decisionOf(request, { choice, words, answers });
  if (decision === null) return null;
  const line = JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision },
  });
  return Buffer.byteLength(line) <= MOST_BYTES ? line : null;
}

function decisionOf(
  request: AgentRequest | null,
  { choice, words, answers }: GivenAnswer,
): object | null {
  if (choice === 'deny') {
    return { behavior: 'deny', message: words === null || words.trim() === '' ? DENIED : words };
  }
  if (request === null) return null;
  const allow = { behavior: 'allow' };
  switch (choice) {
    case 'allow': {
      const plan = planOf(request);
      if (request.tool === QUESTION_TOOL) return null;
      // A bare allow leaves the prompt for a plan open.
      if (request.tool === PLAN_TOOL)
        return plan === null ? null : { ...allow, updatedInput: { plan } };
      return allow;
    }
    case 'allow-session': {
      const suggestions = suggestionsOf(request);
      if (suggestions === null) return null;
      const rules = suggestions.map((one) => ({ ...one, destination: 'session' }));
      return { ...allow, updatedPermissions: rules };
    }
    case 'answer': {
      const asked = questionsOf(request);
      const keys = Object.keys(answers);
      const isKnown = keys.every((key) => asked?.some(({ text }) => text === key));
      if (asked === null || keys.length === 0 || !isKnown || !isJsonObject(request.input))
        return null;
      return { ...allow, updatedInput: { questions: request.input['questions'], answers } };
    }
  }
}
