import { dirname, isAbsolute } from 'node:path';

import { z } from 'zod';

import { ConfigError } from '../platform/errors.ts';
import { findProgram, resolvePath } from '../platform/find-program.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { redactText } from '../text/redact.ts';
import type { Config } from './config.ts';
import { type DocumentPath, type Finding, pathText } from './problem.ts';
import { readSecretFile, type SecretSurroundings } from './secrets.ts';

/** A place outside the configuration that one of its values names. */
interface Reference {
  readonly path: DocumentPath;
  readonly type: 'env' | 'file' | 'command';
  /** Name of the variable, path of the file, or the program. */
  readonly target: string;
  /** False for a command with other keys next to it: a channel of type `command`. */
  readonly isSecret: boolean;
}

/** Every `{ env }`, `{ file }` and `command: […]`; only secrets have one as their only key. */
function referencesIn(value: unknown, path: DocumentPath = []): readonly Reference[] {
  if (Array.isArray(value)) {
    return value.flatMap((entry: unknown, index) => referencesIn(entry, [...path, index]));
  }
  if (!isJsonObject(value)) return [];
  const isSecret = Object.keys(value).length === 1;
  return Object.entries(value).flatMap(([key, entry]): readonly Reference[] => {
    const place = [...path, key];
    if (isSecret && (key === 'env' || key === 'file') && typeof entry === 'string') {
      return [{ path: place, type: key, target: entry, isSecret }];
    }
    if (key === 'command' && Array.isArray(entry)) {
      const [target]: readonly unknown[] = entry;
      return typeof target === 'string'
        ? [{ path: [...place, 0], type: key, target, isSecret }]
        : [];
    }
    return referencesIn(entry, place);
  });
}

/** Absolute paths of the secret, key and certificate files in a configuration. */
export function secretFilesOf(
  { path, raw, relay, listen }: Pick<Config, 'path' | 'raw' | 'relay' | 'listen'>,
  env: SecretSurroundings['env'],
): readonly string[] {
  // The relay's token has a default path.
  const files = referencesIn([raw, relay?.token])
    .filter(({ type }) => type === 'file')
    .map(({ target }) => target);
  for (const pem of [relay?.certificate, listen?.tls?.certificate, listen?.tls?.key]) {
    if (pem !== undefined && pem !== null) files.push(pem);
  }
  const baseDir = dirname(path);
  return [...new Set(files.map((file) => resolvePath(file, { baseDir, env })))];
}

/** True if a configuration has secret commands, whose output may change unnoticed. */
export function hasSecretCommands({ raw }: Pick<Config, 'raw'>): boolean {
  return referencesIn(raw).some(({ type, isSecret }) => type === 'command' && isSecret);
}

/** The name of every environment variable with a secret in a document. */
export function secretVariables(document: unknown): readonly string[] {
  return referencesIn(document)
    .filter(({ type }) => type === 'env')
    .map(({ target }) => target);
}

/** One sentence for each plain-text secret in the configuration file. */
export function secretWarnings({ plainSecrets }: Pick<Config, 'plainSecrets'>): readonly string[] {
  return plainSecrets.map(
    (path) =>
      `"${path}" is a secret in plain text: write { env: NAME }, { file: PATH } or { command: [PROGRAM] } instead`,
  );
}

/** A copy of a document with `***` at these paths, and without other likely secrets. */
export function maskSecrets(document: JsonObject, places: readonly DocumentPath[]): JsonObject {
  const secrets = new Set(places.map(pathText));

  function maskValue(value: unknown, path: DocumentPath): unknown {
    if (Array.isArray(value))
      return value.map((entry, index) => maskValue(entry, [...path, index]));
    if (isJsonObject(value)) return maskMapping(value, path);
    if (typeof value !== 'string') return value;
    return secrets.has(pathText(path)) ? '***' : redactText(value);
  }
  function maskMapping(mapping: JsonObject, path: DocumentPath): JsonObject {
    const pairs = Object.entries(mapping);
    return Object.fromEntries(pairs.map(([key, value]) => [key, maskValue(value, [...path, key])]));
  }
  return maskMapping(document, []);
}

/** Paths of plain-text secrets where the schema would also accept `{ env }`, `{ file }` or `{ command }`. */
export function plainSecretPaths(
  schema: unknown,
  value: unknown,
  path: DocumentPath,
): readonly DocumentPath[] {
  if (!(schema instanceof z.ZodType)) return [];
  if (typeof value === 'string' && schema.meta()?.['secret'] === true) return [path];
  if ('innerType' in schema.def) return plainSecretPaths(schema.def.innerType, value, path);
  if (schema instanceof z.ZodPipe) return plainSecretPaths(schema.in, value, path);
  if (!isJsonObject(value)) return [];
  const schemaOf = (key: string): unknown => {
    if (schema instanceof z.ZodObject) return schema.shape[key];
    return schema instanceof z.ZodRecord ? schema.valueType : null;
  };
  return Object.entries(value).flatMap(([key, entry]) =>
    plainSecretPaths(schemaOf(key), entry, [...path, key]),
  );
}

type Surroundings = Pick<SecretSurroundings, 'env' | 'platform' | 'baseDir'>;

/** Finds unsafe or missing secret files, and missing programs. Findings contain no secret. */
export async function examineSurroundings(
  { raw }: Pick<Config, 'raw'>,
  surroundings: Surroundings,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    referencesIn(raw).map(async ({ path, type, target }): Promise<readonly Finding[]> => {
      if (type === 'env') return [];
      const message = await (type === 'file'
        ? troubleWithFile(target, surroundings)
        : troubleWithProgram(target, surroundings));
      return message === null ? [] : [{ path, at: 'value', message }];
    }),
  );
  return findings.flat();
}

async function troubleWithProgram(name: string, surroundings: Surroundings) {
  const isPath = isAbsolute(name) || /[/\\]/.test(name);
  const place = isPath ? resolvePath(name, surroundings) : name;
  const found = await findProgram(place, surroundings.env['PATH']);
  return found === null ? `names the program "${name}", which was not found` : null;
}

async function troubleWithFile(path: string, surroundings: Surroundings) {
  try {
    await readSecretFile(resolvePath(path, surroundings), surroundings.platform);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const what = `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`;
    return `does not work: ${what}${error.hint === null ? '' : `. ${error.hint}`}`;
  }
}
