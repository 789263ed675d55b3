import { spawnSync } from 'node:child_process';

import { percentile } from './statistics.ts';

/** What `node -e 0` takes on the quiet two-core machine for which the absolute bounds stand, ms. */
const QUIET_NODE_START_MS = 25;

/** Milliseconds from the start of a bare Node to its end. */
export function nodeStartMs(): number {
  const startedAt = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedAt;
}

/**
 * How many times slower than the quiet machine this one is, at least 1.
 *
 * @param starts of `nodeStartMs`, made in turn with what is measured
 * @param percent the percentile that is measured
 */
export function slownessOf(starts: readonly number[], percent = 50): number {
  return Math.max(1, percentile(starts, percent) / QUIET_NODE_START_MS);
}
