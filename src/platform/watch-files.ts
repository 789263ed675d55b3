import { type FSWatcher, statSync, watch } from 'node:fs';

import { farMount } from './far-mount.ts';
import type { Log } from './log.ts';

export interface DirectoryWatch {
  /** Wakes, and watches the directory that has this path now. Call it now and then: the system may lose an event. */
  look(): void;
  /** An event was missing: looks every `blindMs` for the next hour. */
  distrust(): void;
  stop(): void;
}

/** A directory whose events were missing once is polled for this long, ms. */
const DISTRUST_MS = 3_600_000;

/**
 * Calls `wake` whenever a directory may have changed, on the system's events. Where there are none, such as without a
 * free watch, or on a file system of another machine, it looks every `blindMs`.
 *
 * An event means "list again", without names: under load the system drops names (of 30,000 files it reported 8,192),
 * and it reports nothing after the directory is deleted or replaced. So the watch is renewed for each new inode.
 */
export function watchDirectory(
  directory: string,
  wake: () => void,
  { blindMs, log }: { readonly blindMs: number; readonly log: Log },
): DirectoryWatch {
  const isFar = farMount(directory) !== null;
  let watcher: FSWatcher | null = null;
  let watched: number | null = null;
  let isLost = false;
  let blind: NodeJS.Timeout | undefined;
  let distrustedUntil = Number.NEGATIVE_INFINITY;

  function look(): void {
    const inode = inodeOf(directory);
    if (inode === null || inode !== watched) renew(inode);
    const mayMiss = watched === null || isFar || performance.now() < distrustedUntil;
    if (!mayMiss) {
      clearInterval(blind);
      blind = undefined;
    } else blind ??= setInterval(look, blindMs);
    wake();
  }

  function renew(inode: number | null): void {
    watcher?.close();
    watcher = null;
    watched = null;
    if (inode === null) return;
    try {
      watcher = watch(directory, look);
      watcher.on('error', (error) => lose(error));
      watched = inode;
      isLost = false;
    } catch (error) {
      lose(error);
    }
  }

  /** Polling every `blindMs` follows, so a failed watch is not fatal, and is logged once. */
  function lose(error: unknown): void {
    watched = null;
    if (!isLost)
      log.warn({ err: error, directory }, 'Cannot watch a directory: changes are noticed later');
    isLost = true;
    blind ??= setInterval(look, blindMs);
  }

  look();
  return {
    look,
    distrust() {
      distrustedUntil = performance.now() + DISTRUST_MS;
      blind ??= setInterval(look, blindMs);
    },
    stop() {
      clearInterval(blind);
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

export interface FileWatch {
  /** Watches the file that is at the path now. Call it after a change that the watch cannot see, such as a new file. */
  renew(): void;
  stop(): void;
}

/**
 * Calls `onChange` after changes of a file, also behind links. Of the file alone: events of its directory would wake the
 * daemon for each line of a log beside it. Editors replace a file, so the watch moves to the new one; while the path has
 * none there is no watch, nor on far mounts, which may hang.
 */
export function watchFile(path: string, onChange: () => void): FileWatch {
  let watcher: FSWatcher | null = null;
  let timer: NodeJS.Timeout | undefined;

  function renew(): void {
    watcher?.close();
    watcher = null;
    try {
      if (farMount(path) !== null) return;
      watcher = watch(path, { persistent: false }, settle);
      watcher.on('error', () => watcher?.close());
    } catch {
      // Missing or unreadable.
    }
  }

  function settle(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // First, so that no change falls between.
      renew();
      onChange();
    }, SETTLE_MS);
    timer.unref();
  }

  renew();
  return {
    renew,
    stop() {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}

/** Calls back for each change in a directory where little changes. Returns `stop`; where it cannot watch, it calls nothing. */
export function watchQuietDirectory(directory: string, onChange: () => void): () => void {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}
