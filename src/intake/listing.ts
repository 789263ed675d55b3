import { lstatSync, mkdirSync, opendirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Log } from '../platform/log.ts';

/** A name in the spool at the time of the listing. */
export interface SpoolEntry {
  readonly name: string;
  readonly size: number;
  /** Creation time of the file, Unix ms with a fraction. */
  readonly createdAt: number;
}

/** More than this are left to the next listing, so that a flooded spool cannot take all memory. */
const MAX_ENTRIES = 100_000;
/** Between two turns of the event loop. */
const NAMES_PER_TURN = 1_000;

/**
 * Lists the spool by its path, oldest first. Names that begin with a dot are left alone.
 *
 * The calls are synchronous, because a thread pool costs ten times as much for files this small; the event loop gets its
 * turn in between. A deleted spool is created again for later hooks.
 *
 * @throws NodeJS.ErrnoException when the directory cannot be read
 */
export async function listSpool(
  directory: string,
  uid: number | null,
): Promise<readonly SpoolEntry[]> {
  const names = await readNames(directory, uid);
  const entries: (SpoolEntry & { readonly inode: number })[] = [];
  for (const [index, name] of names.entries()) {
    if (index % NAMES_PER_TURN === NAMES_PER_TURN - 1) await nextTurn();
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false });
    if (stats === undefined) continue;
    entries.push({
      name,
      size: stats.size,
      createdAt: creationTime(stats),
      inode: stats.ino,
    });
  }
  // The clock of a file system may stand still for milliseconds; inodes mostly grow.
  return entries.toSorted((a, b) => a.createdAt - b.createdAt || a.inode - b.inode);
}

async function readNames(directory: string, uid: number | null): Promise<readonly string[]> {
  if (!isUsable(directory, uid)) return [];
  const names: string[] = [];
  const open = opendirSync(directory, { bufferSize: 1_024 });
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      if (entry.name.startsWith('.')) continue;
      names.push(entry.name);
      if (names.length >= MAX_ENTRIES) break;
      if (names.length % NAMES_PER_TURN === 0) await nextTurn();
    }
  } finally {
    open.closeSync();
  }
  return names;
}

/** The spool may have been replaced by another directory or a link while we run. */
function isUsable(directory: string, uid: number | null): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return false;
  }
  if (!stats.isDirectory())
    throw new Error(`Cannot use spool "${directory}": it is not a directory`);
  if (uid !== null && stats.uid !== uid) {
    throw new Error(`Cannot use spool "${directory}": it belongs to user ${stats.uid}`);
  }
  return true;
}

/** Before any hook: file systems without creation times answer with 0. */
const EARLIEST_PLAUSIBLE = Date.UTC(2020);

/** When a file was created, Unix ms. */
export function creationTime({
  birthtimeMs,
  mtimeMs,
}: Pick<Stats, 'birthtimeMs' | 'mtimeMs'>): number {
  return birthtimeMs >= EARLIEST_PLAUSIBLE ? birthtimeMs : mtimeMs;
}

/**
 * Removes files from the spool that are settled in the store. A file that cannot be removed (a read-only file system) is
 * not settled again, or it would be read and committed every second.
 */
export function createClearing(log: Log) {
  const pending = new Map<string, () => void>();

  function clear(name: string, action: () => void): void {
    try {
      action();
      pending.delete(name);
    } catch (error) {
      if (!pending.has(name)) log.error({ err: error, name }, 'Cannot clear a file from the spool');
      pending.set(name, action);
    }
  }

  return {
    /** Removes a file from the spool with `action`, now or, if that fails, at the next `retry`. */
    clear,
    /** True for a settled file that could not be removed yet. */
    isPending: (name: string): boolean => pending.has(name),
    retry(entries: readonly SpoolEntry[]) {
      if (pending.size === 0) return;
      const present = new Set(entries.map(({ name }) => name));
      for (const [name, action] of pending) {
        if (present.has(name)) clear(name, action);
        else pending.delete(name);
      }
    },
  };
}
