import { z } from 'zod';

import { plainFromMarkdown } from '../text/markdown.ts';
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

export const askedSchema = z.object({
  action: z.enum(askedActions),
  /** The command, path, URL, tool, plan or question; the agent's own text, at most `MAX_ASKED` UTF-16 units. */
  text: z.string(),
  /** Options of a question, in the agent's order; empty without options. */
  options: z.array(z.string()).readonly(),
});
export type Asked = Readonly<z.infer<typeof askedSchema>>;

/** Longer texts are cut in the middle before they are stored. */
export const MAX_ASKED = 4_096;

/** Maximum lines of a request that are shown. */
const SHOWN_LINES = 3;
const SHOWN_LENGTH = 240;

const verbs: Readonly<Record<Asked['action'], string>> = {
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
 * The request in one to three lines, such as "Run: npm publish". A long one keeps its start and its end, because a
 * command's last words often decide: `rm -rf build && … && git push --force`.
 *
 * @param asked after `cleanRequest`: the cut may leave half a secret, which would not be recognised
 */
export function askedText({ action, text, options }: Asked): string {
  const sentence = withVerb(
    action,
    action === 'plan' ? beginning(plainFromMarkdown(text)) : shorten(text),
  );
  if (options.length === 0) return sentence;
  return `${sentence}\n${cutMiddle(offered(options.map(oneLine)).join(' · '), SHOWN_LENGTH)}`;
}

/** The request with every text passed through `clean`, which also redacts secrets. Null stays null. */
export function cleanRequest(asked: Asked | null, clean: (text: string) => string): Asked | null {
  if (asked === null) return null;
  return { ...asked, text: clean(asked.text), options: asked.options.map(clean) };
}

/** The whole request, for texts that are cleaned and cut later. */
export function wholeRequest({ action, text, options }: Asked): string {
  const plain = action === 'plan' ? plainFromMarkdown(text) : text;
  return [withVerb(action, plain), ...offered(options)].join('\n');
}

function withVerb(action: Asked['action'], text: string): string {
  return verbs[action] === '' ? text : `${verbs[action]}: ${text}`;
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
    ...(left > 0 ? [`… ${left} more ${left === 1 ? 'line' : 'lines'}`] : []),
  ].join('\n');
}

function offered(options: readonly string[]): readonly string[] {
  return options.map((option, index) => `${index + 1} ${option}`);
}

function oneLine(text: string): string {
  return cutMiddle(text.replaceAll(/\s+/g, ' '), 80);
}
