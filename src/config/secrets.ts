import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { SecretReference } from '../core/channel.ts';
import type { FarFiles } from '../core/far-files.ts';
import { ConfigError, whyUnreadable } from '../platform/errors.ts';
import { findProgram, resolvePath } from '../platform/find-program.ts';
import type { ProgramCall, ProgramResult } from '../platform/run-program.ts';

const MAX_BYTES = 65_536;

/**
 * Reads a secret from a file that this user owns and no other user may access, without its last line break.
 *
 * @param platform Windows has neither modes nor owners that Node could check
 * @throws ConfigError with the reason for a refusal
 */
export async function readSecretFile(path: string, platform: NodeJS.Platform): Promise<string> {
  const file = await openFile(path);
  try {
    // The open file is checked, not the path, so that it cannot be replaced between the check and the read.
    const stats = await file.stat();
    if (!stats.isFile()) throw refusal(path, 'it is not a regular file');
    if (platform !== 'win32') refuseStrangers(path, stats);
    if (stats.size > MAX_BYTES) throw refusal(path, `it is larger than ${MAX_BYTES} bytes`);
    const secret = (await file.readFile('utf8')).replace(/\r?\n$/, '');
    if (secret === '') throw refusal(path, 'it is empty');
    return secret;
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK, which Windows lacks, a FIFO in its place would block the daemon forever.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw refusal(path, whyUnreadable(error));
  }
}

function refuseStrangers(path: string, { uid, mode }: Stats): void {
  const self = process.geteuid?.();
  if (self !== undefined && uid !== self) {
    throw refusal(path, `it belongs to user ${uid}, expected ${self}`);
  }
  if ((mode & 0o077) === 0) return;
  const rights = (mode & 0o777).toString(8).padStart(4, '0');
  throw refusal(path, `other users may access it (mode ${rights}, expected 0600)`, {
    hint: `Run: chmod 600 "${path}"`,
  });
}

function refusal(path: string, reason: string, options: { hint?: string } = {}): ConfigError {
  return new ConfigError(`Cannot read the secret in file "${path}": ${reason}`, options);
}

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
export type RunProgram = (
  call: Pick<ProgramCall, 'program' | 'arguments' | 'env' | 'timeoutMs'>,
) => Promise<Pick<ProgramResult, 'ok' | 'stdout' | 'reason'>>;

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
    return readFile(resolvePath(reference.file, surroundings), platform);
  }
  return fromCommand(reference.command, surroundings);
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

async function fromCommand(
  [program = '', ...words]: readonly string[],
  { env, findProgram: find, runProgram }: SecretSurroundings,
): Promise<string> {
  // Errors omit the arguments: some programs take a password there.
  const refused = (why: string): ConfigError =>
    new ConfigError(`Cannot read the secret from command "${program}": it ${why}`);

  const found = await find(program, env['PATH']);
  if (found === null) throw refused('was not found');
  // Password managers need the whole environment: agent sockets, the session bus, PATH.
  const whole = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const call = { program: found, arguments: words, env: Object.fromEntries(whole) };
  const { ok, stdout, reason } = await runProgram({ ...call, timeoutMs: COMMAND_TIMEOUT_MS });
  if (!ok) throw refused(reason);
  // Password managers print the password first, and other fields below.
  const [secret = ''] = stdout.split(/\r?\n/, 1);
  if (secret === '') throw refused('printed nothing on its first line');
  return secret;
}

/** @throws ConfigError if the secret cannot be read, HungPathError if its file system does not respond */
export type ReadSecret = (reference: SecretReference) => Promise<string>;

/**
 * Returns a reader of secrets on this machine.
 *
 * @param configPath of the configuration, at which relative paths start
 * @param files reads the secrets' files; if omitted, this process reads them
 */
export function secretReader(
  configPath: string,
  env: Readonly<Record<string, string | undefined>>,
  files?: FarFiles,
): ReadSecret {
  const baseDir = dirname(configPath);
  const { platform } = process;
  return async (reference) => {
    // Imported here, because execa is needed only for secrets that a program prints, which are rare.
    const { runProgram } = await import('../platform/run-program.ts');
    return resolveSecret(reference, {
      env,
      baseDir,
      platform,
      findProgram,
      runProgram,
      ...(files !== undefined && { readFile: (path) => files.run('secret', { path, platform }) }),
    });
  };
}
