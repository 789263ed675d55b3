import { FailedError } from '../../core/errors.ts';
import { displayLine, displayText } from '../../core/sanitize.ts';
import type { CommandContext } from '../context.ts';
import type { ExistingConfig } from './existing-config.ts';
import type { Questions } from './questions.ts';
import type { Plan } from './set-up.ts';

const PREVIEW = `
A notification reads like this:

    shop: Claude Code needs your permission · Fix the cart
    Run: npm run deploy -- --env staging
`;

/** Shows what would be written, and asks for the last time. @throws FailedError when the person does not want it */
export async function confirmPlan(
  { output, paths }: Pick<CommandContext, 'output' | 'paths'>,
  { agents, config, ring, summary }: Plan,
  existing: ExistingConfig,
  questions: Questions,
): Promise<void> {
  if (config.existing !== 'keep') {
    output.say(`\n${displayLine(paths.config)}:\n\n${displayText(config.text)}`);
    for (const { path } of config.secrets) output.say(`A secret is kept in ${displayLine(path)}`);
    // Last, where it stays in sight: the file is longer than many terminals.
    output.say(`\n${summary.join('\n')}`);
    output.say(PREVIEW);
    if (existing.state === 'own') {
      output.say(`The earlier one stays as ${displayLine(config.existing.backup)}`);
    }
  }
  const parts = [
    ...(config.existing === 'keep' ? [] : ['write this']),
    ...(agents.length === 0 ? [] : [`register the hook with ${agents.join(', ')}`]),
    'start the daemon',
    ...(ring === null ? [] : ['ring each channel once']),
  ];
  const message = `Shall hookbell ${parts.join(', ')}?`;
  if (await questions.yesOrNo({ message, flag: '--yes', initial: true })) return;
  throw new FailedError('The set-up was stopped', { hint: 'Nothing was changed' });
}
