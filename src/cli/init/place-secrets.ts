import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { NewConfig } from '../../setup/install-config.ts';
import type { ChannelAnswer } from './ask-channel.ts';
import { withValue } from './channel-fields.ts';
import { freePath } from './free-path.ts';

/** Channels as in the configuration, and the files that hold their secrets. */
export interface Placed {
  readonly channels: Readonly<Record<string, JsonObject>>;
  readonly secrets: NewConfig['secrets'];
}

/** Assigns every secret a separate file below "~/.secrets", without reusing a file with other content. Writes nothing. */
export async function placeSecrets(
  answers: readonly ChannelAnswer[],
  home: string,
): Promise<Placed> {
  const channels: Record<string, JsonObject> = {};
  const secrets: NewConfig['secrets'][number][] = [];
  for (const { type, options, secrets: typed } of answers) {
    let entry: JsonObject = { type, ...options };
    for (const { path, value } of typed) {
      const text = `${value}\n`;
      const name = ['hookbell', type, ...path].join('-');
      const free = await freePath(name, (candidate) =>
        mayHold(join(home, '.secrets', candidate), text),
      );
      secrets.push({ path: join(home, '.secrets', free), text });
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
