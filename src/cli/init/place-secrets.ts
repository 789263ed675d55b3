import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'yaml';

import type { ReadSecret } from '../../config/secrets.ts';
import type { ChannelDefinition } from '../../core/channel.ts';
import type { GuidedAnswer } from '../../core/prompts.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { ConfigError, errorCode, UsageError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { NewConfig } from '../../setup/install-config.ts';
import { splitPair } from '../option-values.ts';
import { type ChannelField, channelFields, valueAt, withValue } from './channel-fields.ts';

/** A chosen channel. */
export interface ChannelAnswer extends GuidedAnswer {
  readonly type: string;
}

/**
 * Assigns every secret a separate file below "~/.secrets", without reusing a file with other content. Writes nothing.
 *
 * @returns the channels as in the configuration, and the files that hold their secrets
 */
export async function placeSecrets(answers: readonly ChannelAnswer[], home: string) {
  const channels: Record<string, JsonObject> = {};
  const secrets: NewConfig['secrets'][number][] = [];
  for (const { type, options, secrets: typed } of answers) {
    let entry: JsonObject = { type, ...options };
    for (const { path, value } of typed) {
      const text = `${value}\n`;
      const name = ['hookbell', type, ...path].join('-');
      const fileOf = (candidate: string): string => join(home, '.secrets', candidate);
      const free = await freePath(name, (candidate) => mayHold(fileOf(candidate), text));
      secrets.push({ path: fileOf(free), text });
      entry = withValue(entry, path, { file: `~/.secrets/${free}` });
    }
    channels[type] = entry;
  }
  return { channels, secrets };
}

/** Returns true if the file is missing or has exactly this content. @throws the system error if it cannot be read */
async function mayHold(path: string, text: string): Promise<boolean> {
  try {
    return (await readFile(path, 'utf8')) === text;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return true;
    if (code === 'EISDIR') return false;
    throw error;
  }
}

/** The first of "path", "path-2", "path-3", … that may be used. */
export async function freePath(
  path: string,
  isFree: (candidate: string) => Promise<boolean>,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    if (await isFree(candidate)) return candidate;
  }
}

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
export function settingFlag(
  channel: string,
  prefix: string,
  { path, form }: Pick<ChannelField, 'path' | 'form'>,
): string {
  const name = `${prefix}${path.join('.')}`;
  if (form !== 'secret') return `--set ${name}=VALUE`;
  return `--set ${name}=file:PATH (or env:NAME, or its value in ${settingVariable(channel, path)})`;
}

/** Returns the environment variable that answers it. */
export function settingVariable(channel: string, path: readonly string[]): string {
  return ['hookbell', 'init', channel, ...path].join('_').toUpperCase();
}

/** Reads the place of a secret: "env:NAME" or "file:PATH". Returns null for a text that is the secret itself. */
export function readReference(text: string): { env: string } | { file: string } | null {
  const [, place = '', name = ''] = /^(env|file):(.+)$/.exec(text) ?? [];
  if (place === '') return null;
  return place === 'env' ? { env: name } : { file: name };
}

/** Reads each secret that options refer to, as the daemon would. Returns in lines for people why some cannot be read. */
export async function unreadableSecrets(
  definition: ChannelDefinition,
  options: JsonObject,
  readSecret: ReadSecret,
): Promise<readonly string[]> {
  const troubles: string[] = [];
  for (const { path, form } of channelFields(definition)) {
    const { data } = secretReference.safeParse(valueAt(options, path));
    if (form !== 'secret' || data === undefined) continue;
    try {
      await readSecret(data);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      troubles.push(error.message, ...(error.hint === null ? [] : [error.hint]));
    }
  }
  return troubles;
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
