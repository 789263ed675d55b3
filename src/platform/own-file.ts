import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';

import { errorCode } from './errors.ts';

/** Why a file in the spool is not touched; `gone` is not an error. */
export type NotOpened =
  | { readonly type: 'gone' }
  | { readonly type: 'not-ours'; readonly detail: string };

export interface OwnFile {
  readonly type: 'open';
  readonly stats: Stats;
  /** Up to `length` bytes from `position`, in `buffer` if given; less where the file ends before. */
  read(position: number, length: number, buffer?: Buffer): Buffer;
  close(): void;
}

/** A link is not followed, a FIFO does not block. Windows has neither flag. */
export const OWN_FILE_FLAGS =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file that belongs to this user, and nothing else: a planted link, FIFO or device in the spool must
 * not make the daemon read or block on it. The checked file is the one read, because both use the descriptor; only
 * Windows, which would follow a link, is asked for one first.
 *
 * @throws NodeJS.ErrnoException for trouble of the machine, such as EMFILE or EIO
 */
export function openOwnFile(path: string, uid: number | null): OwnFile | NotOpened {
  let descriptor: number;
  try {
    const follows = process.platform === 'win32';
    if (follows && lstatSync(path).isSymbolicLink()) return notOurs(NO_REGULAR_FILE);
    descriptor = openSync(path, OWN_FILE_FLAGS);
  } catch (error) {
    return refusal(error);
  }
  const stats = fstatSync(descriptor);
  const detail = strangeness(stats, uid);
  if (detail !== null) {
    closeSync(descriptor);
    return notOurs(detail);
  }
  return {
    type: 'open',
    stats,
    read: (position, length, buffer = Buffer.allocUnsafe(length)) =>
      readFully(descriptor, position, length, buffer),
    close: () => closeSync(descriptor),
  };
}

/** All of such a file, or its first bytes. @throws as `openOwnFile` */
export function readOwnFile(path: string, uid: number | null, most = Number.POSITIVE_INFINITY) {
  const file = openOwnFile(path, uid);
  if (file.type !== 'open') return file;
  try {
    const bytes = file.read(0, Math.min(file.stats.size, most));
    return { type: 'read', stats: file.stats, bytes } as const;
  } finally {
    file.close();
  }
}

/** Why a file is not a regular one of this user, or null. */
function strangeness(stats: Stats, uid: number | null): string | null {
  if (!stats.isFile()) return NO_REGULAR_FILE;
  if (uid !== null && stats.uid !== uid) return `It belongs to user ${stats.uid}`;
  return null;
}

const NO_REGULAR_FILE = 'It is not a regular file';
const noRegularFile = ['ELOOP', 'EMLINK', 'ENXIO'];
const noRights = ['EACCES', 'EPERM'];

function refusal(error: unknown): NotOpened {
  const code = errorCode(error) ?? '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'gone' };
  if (noRegularFile.includes(code)) return notOurs(NO_REGULAR_FILE);
  if (noRights.includes(code)) return notOurs('It cannot be read by this user');
  throw error;
}

function notOurs(detail: string): NotOpened {
  return { type: 'not-ours', detail };
}

function readFully(descriptor: number, position: number, length: number, buffer: Buffer): Buffer {
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
