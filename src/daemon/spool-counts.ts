import { readdir } from 'node:fs/promises';

import type { Paths } from '../core/paths.ts';

/** Reading the names of this many files costs memory and time … */
const MANY = 5_000;
/** … so their count is reused for this long, ms. */
const REUSED_MS = 1_000;

/**
 * Counts the files of both directories on request: envelopes not yet ingested, and files in quarantine without their
 * notes. The count of a flooded directory may be a second old.
 */
export function spoolCounter({ spool, quarantine }: Pick<Paths, 'spool' | 'quarantine'>) {
  // A file whose name begins with a dot is not an event: a disk check leaves one after a power cut.
  const inSpool = counter(spool, (name) => !name.startsWith('.'));
  const inQuarantine = counter(quarantine, (name) => !name.endsWith('.reason'));
  return async () => {
    const [pending, quarantined] = await Promise.all([inSpool(), inQuarantine()]);
    return { pending, quarantined };
  };
}

/** A missing directory counts as empty: the intake recreates it. */
function counter(directory: string, isCounted: (name: string) => boolean): () => Promise<number> {
  let last = { count: 0, at: 0 };
  return async () => {
    if (last.count >= MANY && performance.now() - last.at < REUSED_MS) return last.count;
    const names = await readdir(directory).catch((): string[] => []);
    last = { count: names.filter(isCounted).length, at: performance.now() };
    return last.count;
  };
}
