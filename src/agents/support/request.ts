import { firstJsonValue } from './json-text.ts';
import { editDiff } from './edits.ts';
import type { AnswerTraits } from '../../core/agent/agent-traits.ts';
import type { AgentQuestion, DecisionChoice } from '../../core/question.ts';
import { sha256 } from '../../platform/crypto.ts';
import { isJsonObject } from '../../platform/json.ts';
import { displayText } from '../../text/sanitize.ts';

/** A request for a permission, or a question, as its agent sent it. */
export interface AgentRequest {
  /** `hook`: an event of Claude Code, or of an agent with its hooks. `plugin`: an event of OpenCode. */
  readonly from: 'hook' | 'plugin';
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
  const request = isJsonObject(document) ? (fromHook(document) ?? fromPlugin(document)) : null;
  if (request === null) return null;
  const { tool, input, suggestions } = request;
  return requestHash(tool, input, suggestions) === hash ? request : null;
}

function fromHook({
  tool_name: tool,
  tool_input: input,
  permission_suggestions: suggestions,
}: Record<string, unknown>): AgentRequest | null {
  return typeof tool === 'string' ? { from: 'hook', tool, input, suggestions } : null;
}

/**
 * The request in an event of OpenCode's plugin, `{type, properties}`; null in any other event. A permission names what it is for, with
 * `metadata` what exactly, and with `always` what else may be allowed.
 */
export function fromPlugin({ type, properties }: Record<string, unknown>): AgentRequest | null {
  if (!isJsonObject(properties)) return null;
  const { permission, patterns, metadata, always, questions } = properties;
  if (type === 'question.asked') {
    return { from: 'plugin', tool: 'question', input: { questions }, suggestions: undefined };
  }
  if (type !== 'permission.asked' || typeof permission !== 'string') return null;
  const details = isJsonObject(metadata) ? metadata : { metadata };
  const input = { ...details, patterns };
  return { from: 'plugin', tool: permission, input, suggestions: always };
}

/** Longer requests can be allowed only in the terminal, where they can be read in full. UTF-16 units. */
const MOST_SHOWN = 16_384;

/**
 * Every field of a request, for people; null if it cannot be shown as it is: too long, or with characters that a terminal hides or
 * obeys. A line that continues a value begins with "|", so that no value can look like a field.
 */
export function requestText(request: AgentRequest): string | null {
  const { tool, input } = request;
  const shown = isJsonObject(input) ? withDiff(input) : null;
  const fields = shown === null ? [['input', input] as const] : Object.entries(shown);
  const lines = fields.map(([key, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? 'null');
    return `  ${key}: ${text.split('\n').join('\n    | ')}`;
  });
  const suggestions = suggestionsOf(request) ?? patternsOf(request);
  const offered = suggestions === null ? [] : [`  for the session: ${JSON.stringify(suggestions)}`];
  const text = [tool, ...lines, ...offered].join('\n');
  return text.length <= MOST_SHOWN && isShownAsIs(text) ? text : null;
}

/** An edit as the lines of a diff, which has both of its texts whole. */
function withDiff({ old_string, new_string, ...rest }: Record<string, unknown>) {
  if (typeof old_string !== 'string' || typeof new_string !== 'string' || 'change' in rest) {
    return {
      ...rest,
      ...(old_string !== undefined && { old_string }),
      ...(new_string !== undefined && { new_string }),
    };
  }
  return { ...rest, change: `\n${editDiff({ old_string, new_string })}` };
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
  request: AgentRequest | null,
  { takesSuggestions = false }: Pick<AnswerTraits, 'takesSuggestions'> = {},
): readonly DecisionChoice[] {
  if (request === null || requestText(request) === null) return ['deny'];
  if (isQuestion(request)) return questionsOf(request) === null ? ['deny'] : ['deny', 'answer'];
  if (request.from === 'plugin') {
    return ['allow', ...(patternsOf(request) === null ? [] : (['allow-session'] as const)), 'deny'];
  }
  if (isPlan(request)) return planOf(request) === null ? ['deny'] : ['allow', 'deny'];
  const isForSession = takesSuggestions && suggestionsOf(request) !== null;
  return ['allow', ...(isForSession ? (['allow-session'] as const) : []), 'deny'];
}

/** Whether it asks something that a bare allow does not answer. */
export function isQuestion({ from, tool }: AgentRequest): boolean {
  return tool === (from === 'hook' ? QUESTION_TOOL : 'question');
}

export function isPlan({ from, tool }: AgentRequest): boolean {
  return from === 'hook' && tool === PLAN_TOOL;
}

/** The tools whose call an answer changes, so that later events repeat it with another input. */
export function isAnsweredByInput(tool: string | null): boolean {
  return tool === QUESTION_TOOL || tool === PLAN_TOOL;
}

/** The questions in a request; null if it asks none, or not in the known shape. */
export function questionsOf(request: AgentRequest): readonly AgentQuestion[] | null {
  const { input } = request;
  if (!isQuestion(request) || !isJsonObject(input) || !Array.isArray(input['questions'])) {
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
    const several = one['multiSelect'] === true || one['multiple'] === true;
    const descriptions = options.map((option: unknown) => {
      const description = isJsonObject(option) ? option['description'] : null;
      return typeof description === 'string' ? description : '';
    });
    asked.push({
      text: one['question'],
      options: known,
      ...(descriptions.some((text) => text !== '') && { descriptions }),
      several,
    });
  }
  // The agent finds an answer by the text of its question.
  const texts = new Set(asked.map(({ text }) => text));
  return asked.length === 0 || texts.size < asked.length ? null : asked;
}

/** The text of a plan that waits for approval; null without one. */
export function planOf({ input }: AgentRequest): string | null {
  const plan = isJsonObject(input) ? input['plan'] : null;
  return typeof plan === 'string' && plan.trim() !== '' ? plan : null;
}

/** What Claude Code offers to allow from now on. */
export function suggestionsOf({ suggestions }: AgentRequest): readonly object[] | null {
  if (!Array.isArray(suggestions) || suggestions.length === 0) return null;
  return suggestions.every(isJsonObject) ? suggestions : null;
}

/** What OpenCode offers to allow for the rest of its run. */
export function patternsOf({ from, suggestions }: AgentRequest): readonly string[] | null {
  if (from !== 'plugin' || !Array.isArray(suggestions) || suggestions.length === 0) return null;
  return suggestions.every((one): one is string => typeof one === 'string') ? suggestions : null;
}
