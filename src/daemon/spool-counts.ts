import { readdir } from 'node:fs/promises';

import type { Paths } from '../core/paths.ts';

export interface SpoolCounts {
  /** Files in the spool: envelopes not yet taken in. */
  readonly pending: number;
  /** Files in quarantine, without their notes. */
  readonly quarantined: number;
}

export async function countSpool({
  spool,
  quarantine,
}: Pick<Paths, 'spool' | 'quarantine'>): Promise<SpoolCounts> {
  const [waiting, setAside] = await Promise.all([namesIn(spool), namesIn(quarantine)]);
  return {
    pending: waiting.length,
    quarantined: setAside.filter((name) => !name.endsWith('.reason')).length,
  };
}

/** A directory that is gone holds nothing: the intake makes it anew. */
async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch(() => []);
}
