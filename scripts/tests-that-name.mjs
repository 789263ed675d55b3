import { readFileSync, readdirSync } from 'node:fs';

/**
 * Which tests name which numbers: what each pattern's first group matches in a file of `test/` is a list of them.
 * Comments do not count, since nothing of them is tested.
 *
 * @returns a map of numbers, as written, to the names of files
 */
export function testsThatName(patterns, number) {
  const root = new URL('../test/', import.meta.url);
  const named = new Map();
  for (const name of readdirSync(root, { recursive: true }).map(String).toSorted()) {
    if (!name.endsWith('.ts')) continue;
    const text = readFileSync(new URL(name, root), 'utf8').replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '');
    for (const [, list = ''] of patterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
      for (const [id] of list.matchAll(number))
        named.set(id, (named.get(id) ?? new Set()).add(name));
    }
  }
  return named;
}
