import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';

import { channelDefinitions } from '../../channels/registry.ts';
import { parseConfig } from '../../config/load.ts';
import { starterConfig } from '../../config/starter.ts';
import { errorCode, FailedError, UsageError } from '../../platform/errors.ts';
import type { NewConfig } from '../../setup/install-config.ts';
import { fileExists } from '../../setup/settings-file.ts';
import type { CommandContext } from '../context.ts';
import { configSchemaFile } from '../install-places.ts';
import type { Answers } from './answers.ts';
import { freePath } from './free-path.ts';
import { placeSecrets } from './place-secrets.ts';
import type { Questions } from './questions.ts';

/** What exists at the path of the new configuration. */
export type ExistingConfig =
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
export const fates = ['keep', 'backup', 'stop'] as const;
export type Fate = (typeof fates)[number];

export const fateFlag = '--existing keep|backup|stop';

/** Asks how to handle it. */
export async function askFate(path: string, questions: Questions): Promise<Fate> {
  const answer = await questions.one({
    message: `Configuration ${path} already exists`,
    flag: fateFlag,
    choices: [
      { value: 'keep', label: 'Keep it', hint: 'register the agents and send a test' },
      { value: 'backup', label: 'Write a new one', hint: 'keep a backup next to it' },
      { value: 'stop', label: 'Stop', hint: 'nothing is changed' },
    ],
    initial: 'keep',
  });
  return fates.find((fate) => fate === answer) ?? 'stop';
}

/**
 * Builds a valid configuration from the answers. Writes nothing.
 *
 * @throws UsageError with every problem of the answers
 */
export async function newConfig(
  { paths }: CommandContext,
  { channels: answers, quietHours, api: looksUp }: Answers,
): Promise<NewConfig> {
  const chosen = looksUp === null ? answers : [...answers, looksUp];
  const placed = await placeSecrets(chosen, homedir());
  const { api, ...channels } = placed.channels;
  const { type: _, ...section } = api ?? {};
  const schema = configSchemaFile(paths);
  const text = starterConfig(schema, {
    channels,
    quietHours,
    api: api === undefined ? null : section,
  });
  const loaded = await parseConfig(text, '', { definitions: channelDefinitions });
  if (!loaded.ok) {
    // The user has not seen the text, so its lines and columns would not help.
    const problems = loaded.problems.map(({ path, message }) => `${path}: ${message}`);
    throw new UsageError(`Cannot make a valid configuration:\n${problems.join('\n')}`);
  }
  const backup = await freePath(`${paths.config}.backup`, isFree);
  return { text, existing: { backup, worthless: starterConfig(schema) }, secrets: placed.secrets };
}

async function isFree(path: string): Promise<boolean> {
  return !(await fileExists(path));
}
