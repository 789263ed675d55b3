import { lstatSync, readFileSync } from 'node:fs';

import type { Paths } from '../core/paths.ts';
import { displayLine } from '../text/sanitize.ts';

const MOST_BYTES = 64 * 1024;

/** What the latest daemon wrote to standard error before it ended, in one line of at most 300 characters; null: nothing. */
export function readLastWords({
  lastWords,
}: Pick<Paths, 'lastWords'>): { readonly text: string; readonly at: number } | null {
  try {
    const found = lstatSync(lastWords);
    if (!found.isFile() || found.size === 0) return null;
    const text = lastWordsIn(readFileSync(lastWords).subarray(0, MOST_BYTES).toString());
    return text === '' ? null : { text, at: found.mtimeMs };
  } catch {
    return null;
  }
}

/** What a daemon wrote to standard error, in one line of at most 300 characters; "": nothing. */
export function lastWordsIn(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => displayLine(line).trim())
    .filter((line) => line !== '');
  // A crash of Node itself says first in which line of which file.
  const own = lines.findIndex((line) => line.startsWith('hookbell:'));
  const thrown = lines.findIndex((line) => /^\w*Error\b.*:/.test(line));
  const other = lines.findIndex((line) => /error|fatal|cannot|not found/i.test(line));
  const from = [own, thrown, other, 0].find((at) => at >= 0) ?? 0;
  return lines
    .slice(from, own >= 0 ? from + 2 : from + 1)
    .join('. ')
    .replace(/^hookbell: /, '')
    .slice(0, 300);
}
