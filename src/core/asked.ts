import { z } from 'zod';

import { countOf } from '../text/count.ts';
import { escapeMarkdown, fenced, plainFromMarkdown } from '../text/markdown.ts';
import { cutMiddle } from '../text/sanitize.ts';

/**
 * The request that an agent wants a person to decide.
 *
 * - `run`: a command. `edit`, `write`, `read`: a file. `fetch`: a URL. `search`: a query. `use`: any other tool.
 * - `plan`: a plan waits for approval. `answer`: a question, with the options it offers.
 */
export const askedActions = [
  'run',
  'edit',
  'write',
  'read',
  'fetch',
  'search',
  'use',
  'plan',
  'answer',
] as const;

const askedQuestionSchema = z.object({
  text: z.string(),
  options: z
    .array(z.object({ label: z.string(), description: z.string().nullable() }).readonly())
    .readonly(),
});

export const askedSchema = z.object({
  action: z.enum(askedActions),
  /** The command, path, URL, tool, plan or question; the agent's own text, at most `MAX_ASKED` UTF-16 units. */
  text: z.string(),
  /** Options of a single question, in the agent's order; empty without options. */
  options: z.array(z.string()).readonly(),
  /** Every question, or field of a form, with its options; absent: none. */
  questions: z.array(askedQuestionSchema.readonly()).readonly().optional(),
  /** The lines of an edit or of a new file as in a diff, at most `MAX_ASKED` UTF-16 units; absent: unknown. */
  diff: z.string().optional(),
  /** The agent's name for the subagent that asks; absent: the main conversation, or unknown. */
  by: z.string().optional(),
});
export type Asked = Readonly<z.infer<typeof askedSchema>>;
export type AskedQuestion = NonNullable<Asked['questions']>[number];

/** Longer texts are cut in the middle before they are stored. */
export const MAX_ASKED = 4_096;
/** Limit for an option, its description or a field. */
export const MAX_LABEL = 1_000;

const SHOWN_LINES = 3;
const SHOWN_LENGTH = 240;
/** Questions of one request, or fields of one form. */
const SHOWN_QUESTIONS = 3;

export const askedVerbs: Readonly<Record<Asked['action'], string>> = {
  run: 'Run',
  edit: 'Edit',
  write: 'Write',
  read: 'Read',
  fetch: 'Fetch',
  search: 'Search for',
  use: 'Use',
  plan: 'Plan',
  answer: '',
};

/**
 * The request in a few lines; a long one keeps its end: a command's last words often decide.
 * @param asked after `cleanRequest`: the cut may leave half a secret
 */
export function askedText(asked: Asked): string {
  const { action, text } = asked;
  const plan = action === 'plan' ? plainFromMarkdown(text) : null;
  const main = withVerb(action, plan === null ? shorten(text) : beginning(plan));
  const [first, ...more] = questionsIn(asked);
  if (first === undefined) return main;
  const asks = [first, ...more]
    .slice(0, SHOWN_QUESTIONS)
    .flatMap(({ text: question, options }) => [
      ...(question === text ? [] : [shorten(question)]),
      ...(options.length === 0 ? [] : [cutMiddle(offered(options).join(' · '), SHOWN_LENGTH)]),
    ]);
  const left = more.length + 1 - SHOWN_QUESTIONS;
  return [main, ...asks, ...(left > 0 ? [`… ${left} more`] : [])].join('\n');
}

/** The request with every text passed through `clean`, which also redacts secrets. Null stays null. */
export function cleanRequest(asked: Asked | null, clean: (text: string) => string): Asked | null {
  if (asked === null) return null;
  const { text, options, questions, diff, by } = asked;
  return {
    ...asked,
    text: clean(text),
    options: options.map(clean),
    ...(questions !== undefined && {
      questions: questions.map((one) => ({
        text: clean(one.text),
        options: one.options.map(({ label, description }) => ({
          label: clean(label),
          description: description === null ? null : clean(description),
        })),
      })),
    }),
    // The mark keeps the indentation of the first line.
    ...(diff !== undefined && { diff: clean(`|${diff}`).replace('|', '') }),
    ...(by !== undefined && { by: clean(by) }),
  };
}

/** The whole request, for texts that are cleaned and cut later. */
export function wholeRequest(asked: Asked): string {
  const { action, text, diff } = asked;
  const plain = action === 'plan' ? plainFromMarkdown(text) : text;
  const asks = questionsIn(asked).flatMap(({ text: question, options }) => [
    ...(question === text ? [] : [question]),
    ...options.map(
      ({ label, description }, index) =>
        `${index + 1} ${label}${description === null ? '' : `: ${description}`}`,
    ),
  ]);
  return [withVerb(action, plain), ...(diff === undefined ? [] : [diff]), ...asks].join('\n');
}

/** The whole request, after `cleanRequest`, in Markdown; null if `askedText` shows all of it. */
export function askedMarkdown(asked: Asked): string | null {
  const { action, text, diff } = asked;
  if (action === 'plan') return text;
  const asks = questionsIn(asked).map(({ text: question, options }) =>
    [
      ...(question === text ? [] : [escapeMarkdown(question)]),
      ...options.map(({ label, description }, index) => {
        const more = description === null ? '' : `: ${escapeMarkdown(description)}`;
        return `${index + 1}. **${escapeMarkdown(label)}**${more}`;
      }),
    ].join('\n'),
  );
  if (asks.length > 0) return [escapeMarkdown(text), ...asks].join('\n\n');
  if (diff !== undefined) return `${escapeMarkdown(withVerb(action, text))}\n${fenced(diff)}`;
  if (shorten(text) === text) return null;
  return action === 'run'
    ? `${askedVerbs.run}:\n${fenced(text)}`
    : escapeMarkdown(withVerb(action, text));
}

/** Some agents report only the labels of a question's options. */
function questionsIn({ text, options, questions }: Asked): readonly AskedQuestion[] {
  if (questions !== undefined || options.length === 0) return questions ?? [];
  return [{ text, options: options.map((label) => ({ label, description: null })) }];
}

function withVerb(action: Asked['action'], text: string): string {
  return askedVerbs[action] === '' ? text : `${askedVerbs[action]}: ${text}`;
}

function shorten(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown =
    lines.length <= SHOWN_LINES
      ? lines
      : [lines[0] ?? '', `… ${lines.length - 2} more lines …`, lines.at(-1) ?? ''];
  return shown.map((line) => cutMiddle(line.trimEnd(), SHOWN_LENGTH)).join('\n');
}

/** For a plan, which is read from its first line. */
function beginning(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const left = lines.length - SHOWN_LINES;
  return [
    ...lines.slice(0, SHOWN_LINES).map((line) => cutMiddle(line.trimEnd(), SHOWN_LENGTH)),
    ...(left > 0 ? [`… ${countOf(left, 'more line')}`] : []),
  ].join('\n');
}

function offered(options: AskedQuestion['options']): readonly string[] {
  return options.map(({ label }, index) => `${index + 1} ${oneLine(label)}`);
}

function oneLine(text: string): string {
  return cutMiddle(text.replaceAll(/\s+/g, ' '), 80);
}
