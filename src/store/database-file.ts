import { chmodSync, closeSync, existsSync, lstatSync, openSync, renameSync } from 'node:fs';

/** What belongs to a database besides its main file: https://www.sqlite.org/tempfiles.html */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/** One page of the smallest size. */
const SMALLEST_BYTES = 512;

/** What lies at the path of a database before it is opened. */
export type FileState =
  | { readonly type: 'none' }
  | { readonly type: 'file'; readonly bytes: number; readonly closedWell: boolean }
  | { readonly type: 'unusable'; readonly reason: string };

export function fileState(path: string): FileState {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    return existsSync(`${path}-wal`)
      ? { type: 'unusable', reason: 'Its file is gone and only its write-ahead log is left' }
      : { type: 'none' };
  }
  if (!stat.isFile()) return { type: 'unusable', reason: 'It is not a regular file' };
  // SQLite would take an empty file, and one of a single byte, for a new database. Ours is empty only for the moment
  // between its creation and its first transaction.
  if (stat.size < SMALLEST_BYTES) {
    return { type: 'unusable', reason: `It has ${stat.size} bytes, too few for a database` };
  }
  const closedWell = !existsSync(`${path}-wal`) && !existsSync(`${path}-journal`);
  return { type: 'file', bytes: stat.size, closedWell };
}

/** Tells the file at a path from another one that takes its place; null when there is none. */
export function fileIdentity(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

/** Makes the file if there is none. Only its owner may read it; SQLite gives its companions the same mode. */
export function makePrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600));
  chmodSync(path, 0o600);
}

/** Renames a database with its companions, so that it can be looked into later; answers its new path. */
export function setAside(path: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const aside = freePath(`${path}.damaged-${time}`);
  // The main file goes first: without its log it would look whole, and be older than it was.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) renameSync(path, aside);
  for (const companion of COMPANIONS) {
    if (existsSync(path + companion)) renameSync(path + companion, aside + companion);
  }
  return aside;
}

function freePath(wanted: string): string {
  let path = wanted;
  for (let count = 2; isTaken(path); count += 1) path = `${wanted}-${count}`;
  return path;
}

function isTaken(path: string): boolean {
  return ['', ...COMPANIONS].some(
    (companion) => lstatSync(path + companion, { throwIfNoEntry: false }) !== undefined,
  );
}
