import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

import type { PresenceWatch } from '../attention/presence.ts';
import type { Paths } from '../core/paths.ts';
import { errorCode } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Clock } from '../platform/time.ts';

/** A hook that waits at the other end of a pipe. */
export interface HeldHook {
  /** Sends it the answer, a line of JSON, and lets it go. False if it is gone, or the line did not fit. */
  answer(json: string): boolean;
  /** Whether it noted that it printed the answer to the agent. */
  hasPrinted(): boolean;
  /** When it noted that it was sent SIGTERM, Unix ms; null: it did not. */
  stoppedAt(): number | null;
  /** Releases it without an answer, unless it has one, and removes its notes; without an answer it prints nothing. */
  letGo(): void;
}

export interface DeskOptions {
  readonly paths: Pick<Paths, 'asks'>;
  readonly uid: number | null;
  readonly presence: Pick<PresenceWatch, 'isPresent'>;
  /** The end of a file that an agent keeps about a session, as text; null if it cannot be read. */
  readonly readTail: (path: string) => Promise<string | null>;
  readonly takeHook?: typeof takeHook;
  /** Whether the process still runs that started then. */
  readonly isRunning?: (pid: number, start: string | null) => boolean;
  readonly now: Clock;
  readonly log: Log;
}

/**
 * Takes a hook that waits: opens its FIFO for writing and removes the name, so that no other program finds it. While the
 * descriptor is open the hook waits; the system closes it when this process dies.
 *
 * @param uid the user the directory must belong to; null where user ids do not exist
 * @returns null if no hook waits there, or the place is not private
 */
export function takeHook(directory: string, fifo: string, uid: number | null): HeldHook | null {
  if (!isPrivate(directory, uid)) return null;
  const path = join(directory, fifo);
  let end: number;
  try {
    // Without a reader this fails instead of blocking; a link is not followed.
    end = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    // The hook had it open before it sent the request, so it is gone, such as killed by SIGKILL.
    if (errorCode(error) === 'ENXIO') rmSync(path, { force: true });
    return null;
  }
  const stats = fstatSync(end);
  if (!stats.isFIFO() || (uid !== null && stats.uid !== uid)) {
    closeSync(end);
    return null;
  }
  rmSync(path, { force: true });
  let isOpen = true;
  const finish = (line: string): boolean => {
    if (!isOpen) return false;
    isOpen = false;
    try {
      // An empty pipe takes a line of this size immediately or, without a reader, fails.
      return writeSync(end, line) === Buffer.byteLength(line);
    } catch {
      return false;
    } finally {
      closeSync(end);
    }
  };
  const noteAt = (note: HookNote): number | null =>
    isPrivate(directory, uid) ? timeOfNote(path + note, uid) : null;
  return {
    answer: (json) => finish(`answer ${fifo} ${json}\n`),
    hasPrinted: () => noteAt('.printed') !== null,
    stoppedAt: () => noteAt('.ended'),
    letGo() {
      finish('\n');
      for (const note of notes) rmSync(path + note, { force: true });
    },
  };
}

/** Empty files that a hook leaves beside its FIFO: it was sent SIGTERM, or printed the answer. */
const notes = ['.ended', '.printed'] as const;
type HookNote = (typeof notes)[number];

function timeOfNote(path: string, uid: number | null): number | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isOwn = stats?.isFile() === true && (uid === null || stats.uid === uid);
  return isOwn ? Math.round(stats.mtimeMs) : null;
}

function isPrivate(directory: string, uid: number | null): boolean {
  try {
    const stats = lstatSync(directory);
    return stats.isDirectory() && (uid === null || stats.uid === uid) && (stats.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** A hook waits for the daemon for five seconds: an older file of a hook that was not taken was left behind, ms. */
export const LEFT_AFTER_MS = 10_000;

/** Removes what killed hooks left: no process reads such a FIFO. @param changedBefore Unix ms */
export function sweepAsks(directory: string, uid: number | null, changedBefore: number): void {
  if (!isPrivate(directory, uid)) return;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.ctimeMs >= changedBefore) continue;
    if (!notes.some((note) => name.endsWith(note)) && hasReader(path)) continue;
    rmSync(path, { force: true });
  }
}

/** A hook that waits for the daemon leaves by itself within seconds. */
function hasReader(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW));
    return true;
  } catch {
    return false;
  }
}
