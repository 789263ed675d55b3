/** Values of `{name}` in a template. */
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

/** Only a word in braces is a placeholder; any other brace is literal. */
const PLACEHOLDER = /\{(\w{1,40})\}/g;

/** The placeholders of a template that do not exist. */
export function unknownPlaceholders(template: string): readonly string[] {
  return [...template.matchAll(PLACEHOLDER)].flatMap(([, name = '']) =>
    isPlaceholder(name) ? [] : [name],
  );
}

/** In one pass: no value is expanded. Values are plain text, which the channel escapes. */
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
