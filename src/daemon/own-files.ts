import { lstatSync } from 'node:fs';

import type { Log } from '../core/log.ts';

export interface OwnFilesOptions {
  /** Files that this daemon made, or opened and must not lose. */
  readonly files: readonly string[];
  readonly log: Log;
  /** Called once, with the first of them that is gone or has become another file. */
  readonly onLost: (file: string) => void;
  readonly everyMs?: number;
}

/**
 * Looks whether files are still the ones they are now: when somebody deletes or replaces the state directory, the lock
 * of this daemon keeps nobody away any more, and nobody finds its socket. Answers how to stop.
 */
export function watchOwnFiles({
  files,
  log,
  onLost,
  everyMs = 1_000,
}: OwnFilesOptions): () => void {
  const before = new Map(files.map((file) => [file, identityOf(file)]));
  const timer = setInterval(() => {
    const lost = files.find((file) => identityOf(file) !== before.get(file));
    if (lost === undefined) return;
    clearInterval(timer);
    log.error({ file: lost }, 'A file of this daemon was deleted or replaced');
    onLost(lost);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

function identityOf(file: string): string | null {
  try {
    const { dev, ino } = lstatSync(file);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
