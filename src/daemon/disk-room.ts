import type { StatsFs } from 'node:fs';

import type { Warnings } from './warnings.ts';

const LOW_BYTES = 64 * 1024 * 1024;
const LOW_INODE_SHARE = 0.01;

/** What a file system has left; as `statfs` of Node answers. */
export type AskRoom = (
  directory: string,
) => Promise<Pick<StatsFs, 'bavail' | 'bsize' | 'ffree' | 'files'>>;

/** A spool without room takes no event, and the hook must stay silent about it: so this has to be said before. */
export async function warnOfFullDisk(
  directory: string,
  { warnings, askRoom }: { readonly warnings: Warnings; readonly askRoom: AskRoom },
): Promise<void> {
  const { bavail, bsize, ffree, files } = await askRoom(directory);
  const freeBytes = bavail * bsize;
  // Some file systems have no fixed number of inodes and say 0.
  const noInodes = files > 0 && ffree / files < LOW_INODE_SHARE;
  if (freeBytes >= LOW_BYTES && !noInodes) {
    warnings.clear('disk');
    return;
  }
  const left = noInodes ? `${ffree} files` : `${Math.floor(freeBytes / 1024 / 1024)} MB`;
  warnings.raise(
    'disk',
    `The disk that holds "${directory}" has room for only ${left} more: events will be lost when it is full`,
  );
}
