import { parse } from 'yaml';

import { UsageError } from '../../platform/errors.ts';
import { splitPair } from '../option-values.ts';
import type { ChannelField } from './channel-fields.ts';

/** A parsed `--set slack.webhook=VALUE`. */
export interface Setting {
  readonly channel: string;
  readonly path: readonly string[];
  readonly text: string;
}

export function readSetting(pair: string): Setting {
  const [name, text] = splitPair(pair);
  const [channel = '', ...path] = name.split('.');
  if (path.length > 0 && path.every((key) => key !== '')) return { channel, path, text };
  throw new UsageError(`"${name}" is not a channel option`, {
    hint: 'For example: --set file.path=~/notifications.jsonl',
  });
}

/** Returns the command-line option that answers the question for a channel option. */
export function settingFlag(channel: string, { path, form }: Pick<ChannelField, 'path' | 'form'>) {
  const name = `${channel}.${path.join('.')}`;
  if (form !== 'secret') return `--set ${name}=VALUE`;
  return `--set ${name}=file:PATH (or env:NAME, or its value in ${settingVariable(channel, path)})`;
}

/** Returns the environment variable that answers it. */
export function settingVariable(channel: string, path: readonly string[]): string {
  return ['hookbell', 'init', channel, ...path].join('_').toUpperCase();
}

/**
 * Reads the place of a secret: "env:NAME" or "file:PATH".
 *
 * @returns null for a text that is the secret itself
 */
export function readReference(text: string): { env: string } | { file: string } | null {
  const [, place = '', name = ''] = /^(env|file):(.+)$/.exec(text) ?? [];
  if (place === '') return null;
  return place === 'env' ? { env: name } : { file: name };
}

/** Parses the value of a text. @throws UsageError for invalid YAML */
export function readValue(form: Exclude<ChannelField['form'], 'secret'>, text: string): unknown {
  if (form === 'text') return text;
  if (form === 'list' && !text.startsWith('[')) return text.split(',').map((part) => part.trim());
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`"${text}" is not valid YAML`, { cause: error });
  }
}
