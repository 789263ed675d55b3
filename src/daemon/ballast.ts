import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';

/** Room enough for the log of the database and some thousand events. */
export const BALLAST_BYTES = 8 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/** A file that only takes up room, to be given up when there is no other. */
export interface DiskReserve {
  exists(): boolean;
  /** Rejects when there is no room for it, and leaves nothing behind. */
  make(): Promise<void>;
  /** Answers whether there was one. */
  release(): Promise<boolean>;
}

export function ballastAt(path: string): DiskReserve {
  const exists = (): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return {
    exists,
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
    async release() {
      const wasThere = exists();
      await rm(path, { force: true });
      return wasThere;
    },
  };
}

async function fill(path: string): Promise<void> {
  // Some file systems keep no room for zeros.
  const piece = randomBytes(PIECE_BYTES);
  const file = await open(path, 'w', 0o600);
  try {
    for (let written = 0; written < BALLAST_BYTES; written += PIECE_BYTES) await file.write(piece);
    // Others look for the room only when the data leaves the memory.
    await file.datasync();
  } finally {
    await file.close();
  }
}
