import { readdir } from 'node:fs/promises';

import type { Paths } from '../core/paths.ts';

export interface SpoolCounts {
  /** Files in the spool: envelopes not yet ingested. */
  readonly pending: number;
  /** Files in quarantine, without their notes. */
  readonly quarantined: number;
}

/** Reading the names of this many files costs memory and time … */
const MANY = 5_000;
/** … so their count is reused for this long, ms. */
const REUSED_MS = 1_000;

/** Counts both directories on request; the count of a flooded one may be a second old. */
export function spoolCounter(
  { spool, quarantine }: Pick<Paths, 'spool' | 'quarantine'>,
  monotonic: () => number = () => performance.now(),
): () => Promise<SpoolCounts> {
  // A file whose name begins with a dot is not an event: a disk check leaves one after a power cut.
  const pending = counter(spool, (name) => !name.startsWith('.'), monotonic);
  const quarantined = counter(quarantine, (name) => !name.endsWith('.reason'), monotonic);
  return async () => {
    const [waiting, setAside] = await Promise.all([pending(), quarantined()]);
    return { pending: waiting, quarantined: setAside };
  };
}

/** A missing directory counts as empty: the intake recreates it. */
function counter(
  directory: string,
  isCounted: (name: string) => boolean,
  monotonic: () => number,
): () => Promise<number> {
  let last = { count: 0, at: 0 };
  return async () => {
    if (last.count >= MANY && monotonic() - last.at < REUSED_MS) return last.count;
    const names = await readdir(directory).catch((): string[] => []);
    last = { count: names.filter(isCounted).length, at: monotonic() };
    return last.count;
  };
}
