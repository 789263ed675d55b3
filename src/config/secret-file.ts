import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { ConfigError } from '../platform/errors.ts';

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
    throw refusal(path, reasonOf(error));
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

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EACCES') return 'permission denied';
  return typeof code === 'string' ? code : 'it cannot be opened';
}
