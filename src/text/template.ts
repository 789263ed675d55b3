/** What `{name}` in a template may stand for. */
export const placeholders = [
  'active',
  'agent',
  'changes',
  'computer',
  'credits',
  'duration',
  'event',
  'input',
  'kind',
  'message',
  'project',
  'reason',
  'session',
  'session_id',
  'title',
  'tool',
] as const;
export type Placeholder = (typeof placeholders)[number];

/** Only a word in braces is a placeholder; any other brace stands for itself. */
const PLACEHOLDER = /\{(\w{1,40})\}/g;

/** The placeholders of a template that do not exist. */
export function unknownPlaceholders(template: string): readonly string[] {
  return [...template.matchAll(PLACEHOLDER)].flatMap(([, name = '']) =>
    isPlaceholder(name) ? [] : [name],
  );
}

/**
 * Puts the values in, in one pass: a value that looks like a placeholder stays as it is. Unknown placeholders stay
 * too. The values are plain text; escaping for a markup is the channel's business.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<Placeholder, string>>,
): string {
  return template.replace(PLACEHOLDER, (whole, name: string) =>
    isPlaceholder(name) ? values[name] : whole,
  );
}

function isPlaceholder(name: string): name is Placeholder {
  return placeholders.some((placeholder) => placeholder === name);
}
