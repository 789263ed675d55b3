import { randomBytes } from 'node:crypto';
import { lstatSync, type StatsFs } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';

import type { Log } from '../platform/log.ts';
import type { Warnings } from '../delivery/warnings.ts';

/** Enough room for the log of the database and some thousand events. */
const RESERVE_BYTES = 8 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

export type DiskReserve = ReturnType<typeof createDiskReserve>;

/** A file that only reserves room, given up when the disk is full. */
export function createDiskReserve(path: string) {
  const exists = (): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return {
    exists,
    /** Rejects when the disk has no room for it; leaves no file behind then. */
    async make() {
      const unfinished = `${path}.new`;
      try {
        await fill(unfinished);
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
    /** Returns whether the file existed. */
    async release() {
      const wasThere = exists();
      await rm(path, { force: true });
      return wasThere;
    },
  };
}

async function fill(path: string): Promise<void> {
  // Some file systems allocate no room for zeros.
  const piece = randomBytes(PIECE_BYTES);
  const file = await open(path, 'w', 0o600);
  try {
    for (let written = 0; written < RESERVE_BYTES; written += PIECE_BYTES) await file.write(piece);
    // Others allocate only when the data leaves the memory.
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** What a file system has left; as `statfs` of Node returns. */
export type AskRoom = (
  directory: string,
) => Promise<Pick<StatsFs, 'bavail' | 'bsize' | 'ffree' | 'files'>>;

interface DiskRoomOptions {
  /** The directory whose disk is watched. */
  readonly directory: string;
  readonly askRoom: AskRoom;
  /** Why the disk accepts no file, as a clause; null if it does. */
  readonly tryWriting: () => string | null;
  readonly diskReserve: DiskReserve;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly log: Log;
  /** The disk has room again. */
  readonly onRoom: () => void;
  /** Time that neither jumps nor counts a suspension, ms. */
  readonly monotonic?: () => number;
}

export type DiskRoom = ReturnType<typeof createDiskRoom>;

/** Writing wakes a disk, so it is tried less often; while it fails, each time, ms. */
const TRIAL_EVERY_MS = 30_000;
const MB = 1024 * 1024;
const LOW_BYTES = 64 * MB;
const LOW_INODE_SHARE = 0.01;
/** Less free space than this counts as none: the database needs some pages for each commit. */
const FULL_BYTES = MB;
/** The reserve is only created where this much room remains, so that it is not released again immediately. */
const ROOM_FOR_RESERVE = 4 * RESERVE_BYTES;

/**
 * Watches the free space of the disk that holds the spool and the database. A full spool accepts no events, and the
 * hook must stay silent about it, so people are warned before. When the disk is full the reserve is released: hooks and
 * daemon can continue for a while, and report it. The reserve is recreated when there is room.
 */
export function createDiskRoom(options: DiskRoomOptions) {
  const { directory, askRoom, tryWriting, diskReserve, warnings, log, onRoom } = options;
  const { monotonic = () => performance.now() } = options;
  let looking: Promise<boolean> | null = null;
  let isTroubled = false;
  let isLow = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  let refuses = false;

  /** The same trouble again is logged once. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      isTroubled = false;
    } catch (error) {
      if (!isTroubled)
        log.warn({ err: error, directory }, 'Cannot check the free space of the disk');
      isTroubled = true;
    }
  }

  async function look(): Promise<void> {
    if (refuses || monotonic() - triedAt >= TRIAL_EVERY_MS) tryToWrite();
    const { bavail, bsize, ffree, files } = await askRoom(directory);
    const bytes = bavail * bsize;
    // Some file systems have no fixed number of inodes and report 0.
    const noInodes = files > 0 && ffree / files < LOW_INODE_SHARE;
    isLow = noInodes || bytes < LOW_BYTES;
    if (noInodes) warnOfLittle(`${ffree} files`);
    else if (isLow) warnOfLittle(`${Math.floor(bytes / MB)} MB`);
    else warnings.clear('disk');
    if (bytes < FULL_BYTES || (files > 0 && ffree === 0)) await giveUp();
    else if (bytes >= ROOM_FOR_RESERVE) await recover();
  }

  /** A read-only file system or a quota shows in no number. */
  function tryToWrite(): void {
    triedAt = monotonic();
    const trouble = tryWriting();
    if (trouble !== null) {
      refuses = true;
      warnings.raise(
        'disk refuses',
        `Cannot write to the disk that holds "${directory}": ${trouble}; new events are lost until this works`,
      );
    } else if (refuses) {
      refuses = false;
      warnings.clear('disk refuses');
      onRoom();
    }
  }

  function warnOfLittle(left: string): void {
    warnings.raise(
      'disk',
      `The disk that holds "${directory}" has only ${left} left; events will be lost when it is full`,
    );
  }

  async function giveUp(): Promise<void> {
    if (await diskReserve.release()) {
      warnings.raise(
        'disk is full',
        `The disk that holds "${directory}" is full: hookbell released its reserve of ${RESERVE_BYTES / MB} MB to continue for a while; free some space before events are lost`,
      );
      onRoom();
      return;
    }
    warnings.raise(
      'disk takes nothing',
      `The disk that holds "${directory}" is full and the reserve is used up; new events are lost until space is freed`,
    );
  }

  async function recover(): Promise<void> {
    if (!diskReserve.exists()) {
      await diskReserve.make();
      log.info({}, 'Reserved space for a full disk');
    }
    warnings.clear('disk is full');
    warnings.clear('disk takes nothing');
  }

  /** Checks now; returns whether something is wrong. Never rejects. */
  function lookOnce(): Promise<boolean> {
    looking ??= attempt(look)
      .then(() => refuses || isLow || isTroubled)
      .finally(() => (looking = null));
    return looking;
  }

  return {
    look: lookOnce,
    /** The store found no room, whatever the disk reports: a quota shows nowhere else. Never rejects. */
    giveUp: () => attempt(giveUp),
    /** Resolves when the check under way is over. */
    async stop() {
      await looking;
    },
  };
}
