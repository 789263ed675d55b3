import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

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
 * not make the daemon read or block on it. The checked file is the one read, because both use the descriptor.
 *
 * @throws NodeJS.ErrnoException for trouble of the machine, such as EMFILE or EIO
 */
export function openOwnFile(path: string, uid: number | null): OwnFile | NotOpened {
  let descriptor: number;
  try {
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

/** Why a file is not a regular one of this user, or null. */
export function strangeness(stats: Stats, uid: number | null): string | null {
  if (!stats.isFile()) return 'It is not a regular file';
  if (uid !== null && stats.uid !== uid) return `It belongs to user ${stats.uid}`;
  return null;
}

const noRegularFile = ['ELOOP', 'EMLINK', 'ENXIO'];
const noRights = ['EACCES', 'EPERM'];

function refusal(error: unknown): NotOpened {
  const code = errorCode(error) ?? '';
  if (code === 'ENOENT') return { type: 'gone' };
  if (noRegularFile.includes(code)) return notOurs('It is not a regular file');
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
