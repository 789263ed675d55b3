import { createInterface } from 'node:readline/promises';

import { FailedError, UsageError } from '../../platform/errors.ts';

/**
 * Asks at the terminal whether to go on; only "y" or "yes" does.
 *
 * @throws UsageError without a terminal, naming `--yes`
 * @throws FailedError if the answer is another one
 */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError('Cannot prompt for confirmation: standard input is not a terminal', {
      hint: 'Add "--yes" to skip the prompt',
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (/^\s*y(es)?\s*$/i.test(answer)) return;
  } finally {
    terminal.close();
  }
  throw new FailedError('Not confirmed', { hint: 'Nothing was changed' });
}
