import { readFile } from 'node:fs/promises';

import { UsageError } from '../../core/errors.ts';
import { displayLine } from '../../core/sanitize.ts';
import type { LimitFileRules, LimitRow } from '../../reports/limit-rows.ts';
import { readLimitRows } from '../../reports/limit-rows.ts';

/** @throws UsageError with everything that is wrong with the file */
export async function readLimitFile(
  path: string,
  rules: LimitFileRules,
): Promise<readonly LimitRow[]> {
  const read = readLimitRows(await readText(path), rules);
  if (read.ok) return read.rows;
  const lines = read.problems.map((problem) => displayLine(problem)).join('\n');
  throw new UsageError(`Cannot use "${path}", and nothing was sent:\n${lines}`, {
    hint: 'A first line "email,limit", then one line for each user: ann@example.com,2000000',
  });
}

/** The text of a file in UTF-8. @throws UsageError when it cannot be read, or is written in something else */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new UsageError(`Cannot read "${path}"`, { cause });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`Cannot read "${path}": it is not UTF-8`, {
      hint: 'Save it as "CSV UTF-8"',
      cause,
    });
  }
}
