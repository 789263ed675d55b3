import { isAbsolute, join, resolve } from 'node:path';

import { findProgram } from '../platform/find-program.ts';
import type { Config } from './config.ts';
import type { DocumentPath, Finding } from './problem.ts';
import { readSecretFile } from './secret-file.ts';
import { ConfigError } from '../platform/errors.ts';
import { isJsonObject } from '../platform/json.ts';

/** Secret files are read on trial; programs are only looked up. */
type Reference =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'program'; readonly name: string };

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The directory of the configuration file, where relative paths start. */
  readonly baseDir: string;
  readonly home: string;
}

/**
 * Finds secret files that are missing or readable by others, and programs that are not installed. Findings never
 * contain a secret.
 */
export async function examineSurroundings(
  { raw }: Pick<Config, 'raw'>,
  surroundings: Surroundings,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    referencesIn(raw, []).map(async ([path, reference]): Promise<readonly Finding[]> => {
      const message = await troubleWith(reference, surroundings);
      return message === null ? [] : [{ path, at: 'value', message }];
    }),
  );
  return findings.flat();
}

/** Every `{ file: PATH }` and `command: [PROGRAM, …]`: no other key of the configuration has such a value. */
function referencesIn(value: unknown, path: DocumentPath): readonly [DocumentPath, Reference][] {
  if (Array.isArray(value)) {
    return value.flatMap((entry: unknown, index) => referencesIn(entry, [...path, index]));
  }
  if (!isJsonObject(value)) return [];
  const keys = Object.keys(value);
  const { file, command } = value;
  if (keys.length === 1 && typeof file === 'string') {
    return [[[...path, 'file'], { type: 'file', path: file }]];
  }
  if (Array.isArray(command)) {
    const [name]: readonly unknown[] = command;
    if (typeof name === 'string') return [[[...path, 'command', 0], { type: 'program', name }]];
  }
  return keys.flatMap((key) => referencesIn(value[key], [...path, key]));
}

async function troubleWith(reference: Reference, surroundings: Surroundings) {
  const { env, platform, baseDir, home } = surroundings;
  const absolute = (path: string): string =>
    path.startsWith('~/') ? join(home, path.slice(2)) : resolve(baseDir, path);
  if (reference.type === 'program') {
    const { name } = reference;
    const isPath = isAbsolute(name) || /[/\\]/.test(name);
    const found = await findProgram(isPath ? absolute(name) : name, env['PATH']);
    return found === null ? `names the program "${name}", which was not found` : null;
  }
  try {
    await readSecretFile(absolute(reference.path), platform);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const what = `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`;
    return `does not work: ${what}${error.hint === null ? '' : `. ${error.hint}`}`;
  }
}
