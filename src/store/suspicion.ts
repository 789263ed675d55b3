import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/*
 * A note beside the database that it was found broken while in use. It outlives the process, so that the next start
 * does not take up a database that only breaks again.
 */

export function noteSuspicion(path: string, reason: string): void {
  writeFileSync(notePath(path), reason, { mode: 0o600 });
}

/** The reason noted, or null. */
export function readSuspicion(path: string): string | null {
  return existsSync(notePath(path)) ? readFileSync(notePath(path), 'utf8') : null;
}

function notePath(path: string): string {
  return `${path}-suspect`;
}
