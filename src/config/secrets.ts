import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { z } from 'zod';

import type { SecretReference } from '../core/channel.ts';
import { ConfigError } from '../platform/errors.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { redactText } from '../text/redact.ts';
import type { Config } from './config.ts';
import { type DocumentPath, pathText } from './problem.ts';
import { readSecretFile } from './secret-file.ts';

const COMMAND_TIMEOUT_MS = 10_000;

export interface SecretSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here: the directory of the configuration file. */
  readonly baseDir: string;
  readonly platform: NodeJS.Platform;
  /** Reads a secret's file; defaults to `readSecretFile`. */
  readonly readFile?: (path: string, platform: NodeJS.Platform) => Promise<string>;
  /** Looks a program up in PATH; an absolute path is only checked. */
  readonly findProgram: (name: string, path: string | undefined) => Promise<string | null>;
  readonly runProgram: RunProgram;
}

/**
 * Runs a program without a shell, in a process group that is killed at the deadline, and keeps the first 64 KB of its
 * output. `reason` follows the program's name in a sentence and holds neither arguments nor output.
 */
export type RunProgram = (call: {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}) => Promise<{ readonly ok: boolean; readonly stdout: string; readonly reason: string }>;

/**
 * Reads a secret from the place that the configuration names. Errors never contain the secret.
 *
 * @throws ConfigError if it is missing, or others could read it too
 */
export async function resolveSecret(
  reference: SecretReference,
  surroundings: SecretSurroundings,
): Promise<string> {
  if (typeof reference === 'string') return reference;
  if ('env' in reference) return fromEnvironment(reference.env, surroundings);
  if ('file' in reference) {
    const { readFile = readSecretFile, platform } = surroundings;
    return readFile(pathOf(reference.file, surroundings), platform);
  }
  return fromCommand(reference.command, surroundings);
}

/** Absolute paths of the secret, key and certificate files in a configuration. */
export function secretFilesOf(
  { path, raw, relay, listen }: Pick<Config, 'path' | 'raw' | 'relay' | 'listen'>,
  env: SecretSurroundings['env'],
): readonly string[] {
  // The relay's token has a default path.
  const files = [...secretPlaces([raw, relay])].flatMap((reference) =>
    'file' in reference ? [reference.file] : [],
  );
  for (const pem of [relay?.certificate, listen?.tls?.certificate, listen?.tls?.key]) {
    if (pem !== undefined && pem !== null) files.push(pem);
  }
  return [...new Set(files.map((file) => pathOf(file, { env, baseDir: dirname(path) })))];
}

/** True if a configuration has secret commands, whose output may change unnoticed. */
export function hasSecretCommands({
  raw,
  api,
  relay,
}: Pick<Config, 'raw' | 'api' | 'relay'>): boolean {
  return [...secretPlaces([raw, api, relay])].some((reference) => 'command' in reference);
}

type SecretPlace = { readonly file: string } | { readonly command: unknown };

/** Every `{ file: PATH }` and `{ command: [PROGRAM, …] }` in a document: only secrets have one of these as their only key. */
function* secretPlaces(value: unknown): Generator<SecretPlace> {
  if (typeof value !== 'object' || value === null) return;
  const entries = Object.entries(value);
  const [[key, place] = []] = entries;
  if (entries.length === 1 && key === 'file' && typeof place === 'string') yield { file: place };
  if (entries.length === 1 && key === 'command' && Array.isArray(place)) yield { command: place };
  for (const [, entry] of entries) yield* secretPlaces(entry);
}

/** One sentence for each plain-text secret in the configuration file. */
export function secretWarnings({ plainSecrets }: Pick<Config, 'plainSecrets'>): readonly string[] {
  return plainSecrets.map(
    (path) =>
      `"${path}" is a secret in plain text: write { env: NAME }, { file: PATH } or { command: [PROGRAM] } instead`,
  );
}

/** The name of every `{ env: NAME }` in a document: only secrets have this form. */
export function secretVariables(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(secretVariables);
  if (!isJsonObject(value)) return [];
  const { env, ...others } = value;
  if (typeof env === 'string' && Object.keys(others).length === 0) return [env];
  return Object.values(value).flatMap(secretVariables);
}

function fromEnvironment(name: string, { env }: SecretSurroundings): string {
  // process.env inherits keys such as "constructor".
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && value !== '') return value;
  const reason = value === undefined ? 'is not set' : 'is empty';
  throw new ConfigError(`Cannot read the secret in environment variable "${name}": it ${reason}`, {
    hint: 'Set it where the daemon starts: a service does not see the variables of your shell',
  });
}

function pathOf(
  configured: string,
  { env, baseDir }: Pick<SecretSurroundings, 'env' | 'baseDir'>,
): string {
  return configured.startsWith('~/')
    ? join(env['HOME'] ?? homedir(), configured.slice(2))
    : resolve(baseDir, configured);
}

async function fromCommand(
  [program = '', ...words]: readonly string[],
  { env, findProgram, runProgram }: SecretSurroundings,
): Promise<string> {
  // Errors omit the arguments: some programs take a password there.
  const refusal = (why: string): ConfigError =>
    new ConfigError(`Cannot read the secret from command "${program}": it ${why}`);

  const found = await findProgram(program, env['PATH']);
  if (found === null) throw refusal('was not found');
  // Password managers need the whole environment: agent sockets, the session bus, PATH.
  const known = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const { ok, stdout, reason } = await runProgram({
    program: found,
    arguments: words,
    env: Object.fromEntries(known),
    timeoutMs: COMMAND_TIMEOUT_MS,
  });
  if (!ok) throw refusal(reason);
  // Password managers print the password first, and other fields below.
  const [secret = ''] = stdout.split(/\r?\n/, 1);
  if (secret === '') throw refusal('printed nothing on its first line');
  return secret;
}

/** A copy of a document with `***` at these paths, and without other likely secrets. */
export function maskSecrets(document: JsonObject, places: readonly DocumentPath[]): JsonObject {
  return maskMapping(document, [], new Set(places.map(pathText)));
}

function maskMapping(
  mapping: JsonObject,
  path: DocumentPath,
  secrets: ReadonlySet<string>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(mapping).map(([key, value]) => [key, maskValue(value, [...path, key], secrets)]),
  );
}

function maskValue(value: unknown, path: DocumentPath, secrets: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    return value.map((entry, index) => maskValue(entry, [...path, index], secrets));
  }
  if (isJsonObject(value)) return maskMapping(value, path, secrets);
  if (typeof value !== 'string') return value;
  return secrets.has(pathText(path)) ? '***' : redactText(value);
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
  if (!isJsonObject(value)) return [];
  const schemaOf = (key: string): unknown => {
    if (schema instanceof z.ZodObject) return schema.shape[key];
    return schema instanceof z.ZodRecord ? schema.valueType : null;
  };
  return Object.entries(value).flatMap(([key, entry]) =>
    plainSecretPaths(schemaOf(key), entry, [...path, key]),
  );
}
