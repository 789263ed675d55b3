import { readFile } from 'node:fs/promises';

import { UsageError } from '../../core/errors.ts';
import { displayLine } from '../../core/sanitize.ts';
import type { LimitRow } from '../../reports/limit-rows.ts';
import { readLimitRows } from '../../reports/limit-rows.ts';

/** @throws UsageError with everything that is wrong with the file */
export async function readLimitFile(path: string): Promise<readonly LimitRow[]> {
  const read = readLimitRows(await readText(path));
  if (read.ok) return read.rows;
  const lines = read.problems.map((problem) => displayLine(problem)).join('\n');
  throw new UsageError(`Cannot use "${path}", and nothing was sent:\n${lines}`, {
    hint: 'A first line "email,limit", then one line for each user: ann@example.com,2000000',
  });
}

/** @throws UsageError when it cannot be read */
export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`Cannot read "${path}"`, { cause });
  });
}
