import type { Placeholder } from '../core/template.ts';
import { fillTemplate, placeholders } from '../core/template.ts';

export type Values = Readonly<Record<Placeholder, string>>;

/**
 * Fills a template so that what is not known leaves no litter: `{agent} is done ({duration})` without a duration is
 * "droid is done", and a line that consists of unknown values only goes as a whole. Values stay as they are.
 */
export function fillTidily(template: string, values: Values): string {
  const empty = placeholders.filter((name) => values[name] === '').map((name) => `{${name}}`);
  return template
    .split('\n')
    .filter((line) => !hasBrace(line) || !isOnly(empty, line))
    .map((line) => (hasBrace(line) ? fillTemplate(without(empty, line), values) : line))
    .join('\n');
}

function hasBrace(line: string): boolean {
  return line.includes('{');
}

/** True for a line without any text of its own in which all placeholders are empty. */
function isOnly(empty: readonly string[], line: string): boolean {
  let rest = line;
  for (const placeholder of empty) rest = rest.replaceAll(placeholder, '');
  return rest !== line && !/[\p{L}\p{N}{]/u.test(rest);
}

/** Takes empty placeholders out of a line, with the brackets around or the separator after each. */
function without(empty: readonly string[], line: string): string {
  let rest = line;
  for (const placeholder of empty) {
    rest = rest
      .replaceAll(` (${placeholder})`, '')
      .replaceAll(`(${placeholder})`, '')
      .replaceAll(`${placeholder}: `, '')
      .replaceAll(`${placeholder} · `, '')
      .replaceAll(` · ${placeholder}`, '');
  }
  return rest;
}
