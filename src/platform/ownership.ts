import { lstat, readlink } from 'node:fs/promises';

/** The result of lstat(2) for a file; Node's `Stats` fits. */
export interface FileStatus {
  readonly uid: number;
  readonly gid: number;
  /** Type and permission bits. */
  readonly mode: number;
}

/** The file system functions that this module needs: node:fs/promises has both. */
export interface FileSystemView {
  /** Our effective user id; undefined without such ids (Windows): every path passes there. */
  readonly uid: number | undefined;
  /** Rejects if the file does not exist. */
  readonly lstat: (path: string) => Promise<FileStatus>;
  /** Rejects if it is not a link. */
  readonly readlink: (path: string) => Promise<string>;
}

/** The file system of this machine, with our permissions. */
export function fileSystem(): FileSystemView {
  return {
    uid: process.geteuid?.(),
    lstat: (path) => lstat(path),
    readlink: (path) => readlink(path),
  };
}

export type OwnedKind = 'file' | 'directory' | 'socket';

interface OwnershipOptions {
  /** Accept a socket that lies in a directory of root such as "/tmp". */
  readonly allowSticky?: boolean;
  /** Accept a missing file: then only its path is checked. */
  readonly allowMissing?: boolean;
  /** Accept that others may write to it, such as to a file to which the owner lets them append. */
  readonly allowOpen?: boolean;
}

const TYPE = 0o170_000;
const LINK = 0o120_000;
const DIRECTORY = 0o040_000;
const STICKY = 0o1000;
const types: Readonly<Record<OwnedKind, number>> = {
  file: 0o100_000,
  directory: DIRECTORY,
  socket: 0o140_000,
};
const articles: Readonly<Record<OwnedKind, string>> = {
  file: 'not a regular file',
  directory: 'not a directory',
  socket: 'not a socket',
};
/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * Why another user could replace or change the target of a path, or null: it has to belong to us (files and directories
 * also to root), no other user may write to it, and the same holds for every directory and link on its path. A socket
 * has to lie in a directory of ours.
 *
 * @param path absolute
 * @returns a clause without a full stop, such as `"/srv" belongs to user 1001`
 */
export async function whyNotOurs(
  path: string,
  kind: OwnedKind | 'any',
  view: FileSystemView = fileSystem(),
  { allowSticky = false, allowMissing = false, allowOpen = false }: OwnershipOptions = {},
): Promise<string | null> {
  const { uid } = view;
  if (uid === undefined) return null;
  const found = await follow(path, view);
  if (typeof found === 'string') return found;
  const { place, parent, status } = found;
  if (status === null) return allowMissing ? null : `"${place}" does not exist`;
  if (kind !== 'any' && (status.mode & TYPE) !== types[kind])
    return `"${place}" is ${articles[kind]}`;
  if (kind !== 'socket') {
    return whyChangeable(place, allowOpen ? { ...status, mode: 0 } : status, uid);
  }
  // Write access to a socket allows connecting, but not impersonating it: its mode does not matter.
  if (status.uid !== uid) return foreign(place, status);
  const folder = await view.lstat(parent);
  if (folder.uid === uid && (folder.mode & 0o022) === 0) return null;
  if (allowSticky && folder.uid === 0 && (folder.mode & STICKY) !== 0) return null;
  return `its directory "${parent}" also belongs to others`;
}

interface Followed {
  /** Without links. */
  readonly place: string;
  readonly parent: string;
  /** Null if the path has no target. */
  readonly status: FileStatus | null;
}

/** Walks the path as the kernel does, part by part. A string gives the reason if it cannot be trusted. */
async function follow(path: string, view: FileSystemView): Promise<Followed | string> {
  if (!path.startsWith('/')) return `"${path}" is not an absolute path`;
  const { uid = 0 } = view;
  const rest = partsOf(path);
  let links = 0;
  let place = '/';
  let status: FileStatus | null = await view.lstat('/');
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const trouble = status === null ? null : whyUnsafe(place, status, uid);
    if (trouble !== null) return trouble;
    if (part === '..') {
      place = parentOf(place);
      status = await statusOf(place, view);
      continue;
    }
    const next = place === '/' ? `/${part}` : `${place}/${part}`;
    const found: FileStatus | null = status === null ? null : await statusOf(next, view);
    if (found !== null && (found.mode & TYPE) === LINK) {
      if (found.uid !== uid && found.uid !== 0) return foreign(next, found);
      links += 1;
      if (links > MOST_LINKS) return `"${path}" follows too many links`;
      const target = await view.readlink(next);
      rest.unshift(...partsOf(target));
      if (target.startsWith('/')) {
        place = '/';
        status = await view.lstat('/');
      }
      continue;
    }
    place = next;
    status = found;
  }
  return { place, parent: parentOf(place), status };
}

/** In a directory that others may write to, they can replace our files, unless the sticky bit forbids it. */
function whyUnsafe(place: string, status: FileStatus, uid: number): string | null {
  const isSticky = (status.mode & STICKY) !== 0;
  if ((status.mode & TYPE) !== DIRECTORY) return `"${place}" is not a directory`;
  return whyChangeable(place, isSticky ? { ...status, mode: status.mode & ~0o022 } : status, uid);
}

function whyChangeable(place: string, status: FileStatus, uid: number): string | null {
  if (status.uid !== uid && status.uid !== 0) return foreign(place, status);
  // A group with the number of the user is the user's private group: the rule by which pam_umask(8) sets umask 002.
  // Root decides which groups may write to its directories, such as "staff" to /usr/local.
  const isPrivateGroup = status.gid === status.uid;
  const isRootDirectory = status.uid === 0 && (status.mode & TYPE) === DIRECTORY;
  const open = isPrivateGroup || isRootDirectory ? 0o002 : 0o022;
  if ((status.mode & open) === 0) return null;
  const mode = (status.mode & 0o7777).toString(8).padStart(4, '0');
  return `others may write to "${place}" (mode ${mode})`;
}

function foreign(place: string, { uid }: FileStatus): string {
  return `"${place}" belongs to user ${uid}`;
}

async function statusOf(path: string, view: FileSystemView): Promise<FileStatus | null> {
  try {
    return await view.lstat(path);
  } catch {
    return null;
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function parentOf(place: string): string {
  return place.slice(0, place.lastIndexOf('/')) || '/';
}
