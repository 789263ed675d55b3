import { readFile } from 'node:fs/promises';

import { starterConfig } from '../../config/starter.ts';
import { errorCode } from '../../core/error-code.ts';
import { FailedError } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';
import { configSchemaFile } from '../install-places.ts';
import type { Questions } from './questions.ts';

/** What lies where the configuration is to be written. */
export type ExistingConfig =
  | { readonly state: 'none' }
  /** What `hookbell install` writes, and nobody has changed since. */
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

/** What may become of a configuration that is there. */
export const fates = ['keep', 'backup', 'stop'] as const;
export type Fate = (typeof fates)[number];

export const fateFlag = '--existing keep|backup|stop';

/** Asks what becomes of it. */
export async function askFate(path: string, questions: Questions): Promise<Fate> {
  const answer = await questions.one({
    message: `There is a configuration already, ${path}`,
    flag: fateFlag,
    choices: [
      { value: 'keep', label: 'Keep it', hint: 'register the agents, and show a test' },
      { value: 'backup', label: 'Write a new one', hint: 'a copy of it stays beside' },
      { value: 'stop', label: 'Stop', hint: 'nothing is changed' },
    ],
    initial: 'keep',
  });
  return fates.find((fate) => fate === answer) ?? 'stop';
}
