import { homedir } from 'node:os';

import { channelDefinitions } from '../../channels/registry.ts';
import { parseConfig } from '../../config/load.ts';
import { starterConfig } from '../../config/starter.ts';
import { UsageError } from '../../core/errors.ts';
import type { NewConfig } from '../../setup/install-config.ts';
import { fileExists } from '../../setup/settings-file.ts';
import type { CommandContext } from '../context.ts';
import { configSchemaFile } from '../install-places.ts';
import type { Answers } from './answers.ts';
import { freePath } from './free-path.ts';
import { placeSecrets } from './place-secrets.ts';

/**
 * The configuration that the answers make, which hookbell understands. Writes nothing.
 *
 * @throws UsageError with every problem that the answers would have been
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
    // Nobody has seen the text yet: its lines and columns would say nothing.
    const problems = loaded.problems.map(({ path, message }) => `${path}: ${message}`);
    throw new UsageError(`Cannot make a configuration of that:\n${problems.join('\n')}`);
  }
  const backup = await freePath(`${paths.config}.backup`, isFree);
  return { text, existing: { backup, worthless: starterConfig(schema) }, secrets: placed.secrets };
}

async function isFree(path: string): Promise<boolean> {
  return !(await fileExists(path));
}
