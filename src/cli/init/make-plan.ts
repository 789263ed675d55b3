import { channelDefinitions } from '../../channels/registry.ts';
import { FailedError, UsageError } from '../../platform/errors.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import type { NewConfig } from '../../setup/install-config.ts';
import type { CommandContext } from '../context.ts';
import { type Answers, askAgents, askAnswers, foundAgents, type Said } from './answers.ts';
import {
  askFate,
  type ExistingConfig,
  existingConfig,
  type Fate,
  fateFlag,
  newConfig,
} from './new-config.ts';
import type { Questions } from './questions.ts';
import type { Plan } from './set-up.ts';
import { summaryOf } from './summary.ts';

const PREVIEW = `
A notification reads like this:

    shop: Claude Code needs your permission · Fix the cart
    Run: npm run deploy -- --env staging
`;

/** Shows what would be written, and asks for confirmation. @throws FailedError if the user declines */
export async function confirmPlan(
  { output, paths }: Pick<CommandContext, 'output' | 'paths'>,
  { agents, config, ring, summary }: Plan,
  existing: ExistingConfig,
  questions: Questions,
): Promise<void> {
  if (config.existing !== 'keep') {
    output.say(`\n${displayLine(paths.config)}:\n\n${displayText(config.text)}`);
    for (const { path } of config.secrets) output.say(`A secret is stored in ${displayLine(path)}`);
    // Printed last to stay visible: the file is longer than many terminals.
    output.say(`\n${summary.join('\n')}`);
    output.say(PREVIEW);
    if (existing.state === 'own') {
      output.say(`The previous one is kept as ${displayLine(config.existing.backup)}`);
    }
  }
  const parts = [
    ...(config.existing === 'keep' ? [] : ['write this']),
    ...(agents.length === 0 ? [] : [`register the hook with ${agents.join(', ')}`]),
    'start the daemon',
    ...(ring === null ? [] : ['send a test through each channel']),
  ];
  const message = `Should hookbell ${parts.join(', ')}?`;
  if (await questions.yesOrNo({ message, flag: '--yes', initial: true })) return;
  throw new FailedError('Setup was stopped', { hint: 'Nothing was changed' });
}

/** What the user wants. */
export interface Wishes {
  readonly agents: readonly string[];
  readonly existing: ExistingConfig;
  /** Null if it is not decided how to handle an existing configuration. */
  readonly fate: Fate | null;
  /** Null if it is kept. */
  readonly answers: Answers | null;
}

/** Channel types that users can choose, those for people first. The inbox is always on. */
export const selectableChannels = (['person', 'program'] as const).flatMap((reader) =>
  channelDefinitions.filter(({ type, audience }) => audience === reader && type !== 'inbox'),
);

/**
 * Asks everything not given on the command line.
 *
 * @param fate how to handle an existing configuration; `ask` if a user can be asked
 * @throws FailedError if the user stops
 */
export async function askWishes(
  context: CommandContext,
  said: Said,
  fate: Fate | 'ask' | null,
  questions: Questions,
): Promise<Wishes> {
  const { env, paths } = context;
  const existing = await existingConfig(context);
  const decided =
    fate !== 'ask'
      ? fate
      : existing.state === 'own'
        ? await askFate(paths.config, questions)
        : null;
  if (existing.state !== 'none' && decided === 'stop') {
    throw new FailedError(`Configuration "${paths.config}" already exists`, {
      hint: 'Nothing was changed',
    });
  }
  const facts = { ...(await foundAgents(context)), definitions: selectableChannels, env };
  const agents = await askAgents(said, facts, questions);
  const isKept = existing.state !== 'none' && decided === 'keep';
  const answers = isKept ? null : await askAnswers(said, facts, questions);
  return { agents, existing, fate: decided, answers };
}

/**
 * Returns the plan for these wishes. Writes nothing.
 *
 * @throws UsageError if an existing configuration would be replaced without an explicit choice
 */
export async function makePlan(
  context: CommandContext,
  { agents, existing, fate, answers }: Wishes,
  { ring }: { readonly ring: boolean },
): Promise<Plan> {
  if (answers === null) {
    const config: NewConfig = { text: '', existing: 'keep', secrets: [] };
    return { agents, config, ring: ring ? [] : null, summary: [] };
  }
  const config = await newConfig(context, answers);
  if (existing.state === 'own' && fate === null && existing.text !== config.text) {
    throw new UsageError(`Configuration "${context.paths.config}" already exists`, {
      hint: `Choose how to handle it: ${fateFlag}`,
    });
  }
  return {
    agents,
    config,
    ring: ring ? answers.channels.map(({ type }) => type) : null,
    summary: summaryOf(answers),
  };
}
