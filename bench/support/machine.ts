import { spawnSync } from 'node:child_process';

import { percentile } from './statistics.ts';

/** What `node -e 0` takes on the quiet two-core machine for which the absolute bounds stand, ms. */
const QUIET_NODE_START_MS = 25;

/**
 * Milliseconds from the start of Node to its end.
 *
 * @param words what follows `node` on the command line; a bare Node by default
 * @param more of its environment
 * @throws when it does not end well
 */
export function nodeStartMs(
  words: readonly string[] = ['-e', '0'],
  more: NodeJS.ProcessEnv = {},
): number {
  // Settings such as NODE_EXTRA_CA_CERTS double the time: everything compared here runs without them.
  const env = { ...more, PATH: process.env['PATH'] };
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, words, { env });
  if (status !== 0) throw new Error(`"node ${words.join(' ')}" ended with status ${status}`);
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
