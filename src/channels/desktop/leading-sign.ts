/**
 * Puts a zero-width space before a text that does not begin with a letter or digit: some programs have no `--` and
 * would take `-x` for an option, or `(`, `[`, `{`, `<`, `"` for the beginning of a property list.
 */
export function guardLeadingSign(text: string): string {
  return /^[\p{L}\p{N}]/u.test(text) ? text : `\u200b${text}`;
}
