import { dirname, join } from 'node:path';

import type { Config } from '../../config/config.ts';
import { secretWarnings } from '../../config/secret-places.ts';
import { ConfigError } from '../../platform/errors.ts';
import { isJsonObject } from '../../platform/json.ts';
import { type Check, type CheckGuide, found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const secretsGuide = {
  name: 'secrets',
  about: 'Whether only you can read the secrets of the configuration',
  troubles: {
    refused: {
      state: 'problem',
      meaning: 'A secret file is missing or open to others: the daemon does not use it',
      remedy: null,
    },
    open: {
      state: 'problem',
      meaning: 'The configuration contains a secret, and others may read it',
      remedy: 'Run: chmod 600 "{path}"',
    },
    plain: {
      state: 'warning',
      meaning:
        'The configuration contains a secret. It works, but { file: PATH } keeps it out of backups and repositories',
      remedy: 'Edit {path}',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = secretsGuide;

type Ports = Pick<DoctorPorts, 'lookAt' | 'readSecretFile' | 'uid'>;

/** Checks that only the user can read the secrets. */
export async function checkSecrets(config: Config, ports: Ports): Promise<Check> {
  const plain = secretWarnings(config);
  const files = secretFilesIn(config.raw);
  const refused = await refusalOf(files, ports);
  if (refused !== null) {
    return { ...found(name, troubles.refused, refused.message), hint: refused.hint };
  }
  if (plain.length === 0) return ok(name, files.length === 0 ? 'none in files' : 'private');

  if (await isOpen(config.path, ports)) {
    const summary = `${plain.join('; ')}; and others may read ${config.path}`;
    return found(name, troubles.open, summary, { path: config.path });
  }
  const tree = await workTreeOf(config.path, ports);
  const shared = tree === null ? '' : `; and ${tree} is a git work tree, so they may be published`;
  return found(name, troubles.plain, `${plain.join('; ')}${shared}`, { path: config.path });
}

/** Returns the error of the first unusable secret file. */
async function refusalOf(
  files: readonly string[],
  { readSecretFile }: Ports,
): Promise<ConfigError | null> {
  for (const file of files) {
    try {
      await readSecretFile(file);
    } catch (error) {
      if (error instanceof ConfigError) return error;
      throw error;
    }
  }
  return null;
}

/** Returns every `{ file: PATH }` in a document: only secrets have this form. */
function secretFilesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(secretFilesIn);
  if (!isJsonObject(value)) return [];
  const { file, ...others } = value;
  if (typeof file === 'string' && Object.keys(others).length === 0) return [file];
  return Object.values(value).flatMap(secretFilesIn);
}

async function isOpen(path: string, { lookAt, uid }: Ports): Promise<boolean> {
  const file = uid === null ? null : await lookAt(path);
  return file !== null && (file.mode & 0o077) !== 0;
}

async function workTreeOf(path: string, { lookAt }: Ports): Promise<string | null> {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    if ((await lookAt(join(at, '.git'))) !== null) return at;
  }
  return null;
}
