import type { FSWatcher } from 'node:fs';
import { statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

import { farMount } from './far-mount.ts';
import type { Log } from './log.ts';

export interface DirectoryWatch {
  stop(): void;
}

/**
 * Calls `wake` whenever a directory may have changed: immediately on the system's events, and every `everyMs` anyway.
 *
 * An event means "list again", without names: under load the system drops names (of 30,000 files it reported 8,192),
 * and it reports nothing after the directory is deleted or replaced. So the watch is renewed for each new inode.
 */
export function watchDirectory(
  directory: string,
  wake: () => void,
  { everyMs, log }: { readonly everyMs: number; readonly log: Log },
): DirectoryWatch {
  let watcher: FSWatcher | null = null;
  let watched: number | null = null;
  let isLost = false;

  function look(): void {
    const inode = inodeOf(directory);
    if (inode === null || inode !== watched) renew(inode);
    wake();
  }

  function renew(inode: number | null): void {
    watcher?.close();
    watcher = null;
    watched = null;
    if (inode === null) return;
    try {
      watcher = watch(directory, () => wake());
      watcher.on('error', (error) => lose(error));
      watched = inode;
      isLost = false;
    } catch (error) {
      lose(error);
    }
  }

  /** Polling every `everyMs` continues, so a failed watch is not fatal, and is logged once. */
  function lose(error: unknown): void {
    watched = null;
    if (!isLost)
      log.warn({ err: error, directory }, 'Cannot watch a directory: changes are noticed later');
    isLost = true;
  }

  const timer = setInterval(look, everyMs);
  look();
  return {
    stop() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

/** Null if the directory cannot be watched. */
function inodeOf(directory: string): number | null {
  try {
    return statSync(directory).ino;
  } catch {
    return null;
  }
}

/** Editors save in several steps: a file counts as changed after this long without another change, ms. */
const SETTLE_MS = 150;

/** Watches the directory, because editors replace the file; not on far mounts, which may hang. Returns `stop`. */
export function watchFile(path: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  try {
    if (farMount(dirname(path)) !== null) return () => {};
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name !== null && name !== basename(path)) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, SETTLE_MS);
      timer.unref();
    });
    // If the directory is deleted, the watcher ends; polling continues.
    watcher.on('error', () => watcher.close());
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch {
    return () => {};
  }
}
