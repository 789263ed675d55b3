import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';

import { channelCatalog } from '../../channels/registry.ts';
import { parseConfig } from '../../config/load.ts';
import { starterConfig } from '../../config/starter.ts';
import type { Prompts } from '../../core/prompts.ts';
import { errorCode, FailedError, UsageError } from '../../platform/errors.ts';
import type { NewConfig } from '../../setup/install-config.ts';
import { fileExists } from '../../setup/settings-file.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { configSchemaFile } from '../install-places.ts';
import {
  type InitAnswers,
  askAgents,
  askAnswers,
  foundAgents,
  type GivenAnswers,
  type KeptAnswers,
} from './answers.ts';
import { freePath, placeSecrets } from './place-secrets.ts';
import { channelDefinitions, type SetUpPlan, summaryOf } from './set-up.ts';

/** What exists at the path of the new configuration. */
type ExistingConfig =
  | { readonly state: 'none' }
  /** Written by `hookbell install` and unchanged since. */
  | { readonly state: 'starter' }
  | { readonly state: 'own'; readonly text: string };

export async function existingConfig({ paths }: CommandContext): Promise<ExistingConfig> {
  const { config: path } = paths;
  try {
    const text = await readFile(path, 'utf8');
    if (text === starterConfig(configSchemaFile(paths))) return { state: 'starter' };
    return { state: 'own', text };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return { state: 'none' };
    throw new FailedError(`Cannot read "${path}": ${code ?? String(error)}`, { cause: error });
  }
}

/** Ways to handle an existing configuration. */
export const existingFileChoices = ['keep', 'backup', 'stop'] as const;
export type ExistingFileChoice = (typeof existingFileChoices)[number];

const existingFlag = '--existing keep|backup|stop';

async function askExistingFileChoice(
  path: string,
  questions: Prompts,
): Promise<ExistingFileChoice> {
  const answer = await questions.one({
    message: `Configuration ${path} already exists`,
    flag: existingFlag,
    choices: [
      { value: 'keep', label: 'Keep it', hint: 'register the agents and send a test' },
      { value: 'backup', label: 'Write a new one', hint: 'keep a backup next to it' },
      { value: 'stop', label: 'Stop', hint: 'nothing is changed' },
    ],
    initial: 'keep',
  });
  return existingFileChoices.find((choice) => choice === answer) ?? 'stop';
}

/** Builds a valid configuration from the answers. Writes nothing. @throws UsageError with every problem of them */
async function newConfig(
  { paths }: CommandContext,
  { channels: answers, quietHours, api: looksUp }: InitAnswers,
): Promise<NewConfig> {
  const chosen = looksUp === null ? answers : [...answers, looksUp];
  const placed = await placeSecrets(chosen, homedir());
  const { api, ...channels } = placed.channels;
  const { type: _, ...section } = api ?? {};
  const schema = configSchemaFile(paths);
  const text = starterConfig(schema, {
    definitions: channelDefinitions,
    channels,
    quietHours,
    api: api === undefined ? null : section,
  });
  const loaded = await parseConfig(text, '', { catalog: channelCatalog });
  if (!loaded.ok) {
    // The user has not seen the text, so its lines and columns would not help.
    const problems = loaded.problems.map(({ path, message }) => `${path}: ${message}`);
    throw new UsageError(`Cannot make a valid configuration:\n${problems.join('\n')}`);
  }
  const backup = await freePath(
    `${paths.config}.backup`,
    async (path) => !(await fileExists(path)),
  );
  const existing = { backup, worthless: starterConfig(schema) };
  return { text, isStarter: false, existing, secrets: placed.secrets };
}

const PREVIEW = `
A notification reads like this:

    shop needs permission · Fix the cart
    Run: npm run deploy -- --env staging
`;

/** Shows what would be written, and asks for confirmation. @throws FailedError if the user declines */
export async function confirmPlan(
  { output, paths }: Pick<CommandContext, 'output' | 'paths'>,
  { agents, config, ring, summary }: SetUpPlan,
  existing: ExistingConfig,
  questions: Prompts,
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
export interface SetUpWishes {
  readonly agents: readonly string[];
  readonly existing: ExistingConfig;
  /** Null if it is not decided how to handle an existing configuration. */
  readonly choice: ExistingFileChoice | null;
  /** Null if it is kept. */
  readonly answers: InitAnswers | null;
}

/** Channel types that users can choose: those that people read here, elsewhere, and those for programs. The inbox is always on. */
export const selectableChannels = channelDefinitions
  .filter(({ type }) => type !== 'inbox')
  .toSorted((left, right) => orderOf(left) - orderOf(right));

function orderOf({ audience, reach }: (typeof channelDefinitions)[number]): number {
  if (audience === 'program') return 2;
  return reach === 'near' ? 0 : 1;
}

/**
 * Asks everything not given on the command line.
 *
 * @param choice how to handle an existing configuration; `ask` if a user can be asked
 * @param atTerminal what only matters where a person is asked
 * @throws FailedError if the user stops
 */
export async function askWishes(
  context: CommandContext,
  given: GivenAnswers,
  choice: ExistingFileChoice | 'ask' | null,
  questions: Prompts,
  atTerminal: { readonly kept?: KeptAnswers; readonly hasDesktop?: boolean } = {},
): Promise<SetUpWishes> {
  const { kept = { channels: [] }, hasDesktop = true } = atTerminal;
  const { env, paths } = context;
  const existing = await existingConfig(context);
  const decided =
    choice !== 'ask'
      ? choice
      : existing.state === 'own'
        ? await askExistingFileChoice(paths.config, questions)
        : null;
  if (existing.state !== 'none' && decided === 'stop') {
    throw new FailedError(`Configuration "${paths.config}" already exists`, {
      hint: 'Nothing was changed',
    });
  }
  const found = await foundAgents(context);
  const facts = { ...found, definitions: selectableChannels, env, hasDesktop };
  const agents = await askAgents(given, facts, questions, kept);
  const isKept = existing.state !== 'none' && decided === 'keep';
  const answers = isKept ? null : await askAnswers(given, facts, questions, kept);
  return { agents, existing, choice: decided, answers };
}

/**
 * Returns the plan for these wishes. Writes nothing.
 *
 * @param ring whether to test the channels
 * @throws UsageError if an existing configuration would be replaced without an explicit choice
 */
export async function makePlan(
  context: CommandContext,
  { agents, existing, choice, answers }: SetUpWishes,
  ring: boolean,
): Promise<SetUpPlan> {
  if (answers === null) {
    const config: NewConfig = { text: '', isStarter: false, existing: 'keep', secrets: [] };
    return { agents, config, ring: ring ? [] : null, summary: [] };
  }
  const config = await newConfig(context, answers);
  if (existing.state === 'own' && choice === null && existing.text !== config.text) {
    throw new UsageError(`Configuration "${context.paths.config}" already exists`, {
      hint: `Choose how to handle it: ${existingFlag}`,
    });
  }
  const types = ring ? answers.channels.map(({ type }) => type) : null;
  return { agents, config, ring: types, summary: summaryOf(answers) };
}
