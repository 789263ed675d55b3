import { FailedError, UsageError } from '../platform/errors.ts';
import { withInterrupt } from './refresh-loop.ts';

/**
 * Asks at the terminal whether to go on; the answer beforehand is "No".
 *
 * @throws UsageError without a terminal, naming `--yes`; FailedError if the answer is not "Yes", and at Ctrl-C
 */
export async function confirm(message: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError('Cannot prompt for confirmation: standard input is not a terminal', {
      hint: 'Add "--yes" to skip the prompt',
    });
  }
  const answer = await withInterrupt(async (signal) => {
    // Loaded with the question: most calls do not prompt.
    const { confirm: ask } = await import('@clack/prompts');
    return ask({ message, initialValue: false, output: process.stderr, signal });
  });
  if (answer !== true) throw new FailedError('Not confirmed', { hint: 'Nothing was changed' });
}
