import { lstat, readFile, readlink, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { errorCode } from '../core/error-code.ts';
import type { FileText } from '../core/far-files.ts';
import { whyNotOurs } from '../core/ownership.ts';

/** A configuration is a page or two; anything larger is a mistake, and parsing it would stall the daemon. */
export const MAX_CONFIG_BYTES = 1_000_000;
export const TOO_LARGE = 'is larger than 1 MB';

/** Reads the text of a configuration file. Never rejects. */
export async function readConfigFile(path: string): Promise<FileText> {
  let bytes: Uint8Array;
  try {
    const found = await stat(path);
    if (!found.isFile()) return unusable('is not a file');
    if (found.size > MAX_CONFIG_BYTES) return unusable(TOO_LARGE);
    const foreign = await whyNotOurs(resolve(path), 'file', {
      uid: process.geteuid?.(),
      lstat: (place) => lstat(place),
      readlink: (place) => readlink(place),
    });
    if (foreign !== null) return unusable(`is not used, since ${withAdvice(foreign)}`);
    bytes = await readFile(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return { type: 'missing' };
    return unusable(
      `cannot be read: ${code === 'EACCES' ? 'permission denied' : (code ?? String(error))}`,
    );
  }
  try {
    return { type: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return unusable('is not valid UTF-8');
  }
}

/** Whoever can write the file decides which programs the daemon runs. */
function withAdvice(reason: string): string {
  const open = /^others may write to (".*") /.exec(reason)?.[1];
  return open === undefined
    ? `${reason}: it must be yours or root's`
    : `${reason}: run "chmod go-w" on ${open}`;
}

function unusable(reason: string): FileText {
  return { type: 'unusable', reason };
}
