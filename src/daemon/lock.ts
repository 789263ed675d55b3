import { closeSync, constants, lstatSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { heldFile, identityOf } from '../../hooks/pid-file.ts';
import { ConfigError } from '../platform/errors.ts';
import type { Paths } from '../core/paths.ts';
import { replaceFile } from '../platform/replace-file.ts';
import { loadDriver } from '../store/sqlite/driver.ts';

/** The right to be the only daemon of a state directory. */
export interface Lock {
  release(): void;
}

/**
 * Takes the lock of a state directory; returns null if another daemon holds it.
 *
 * The lock belongs to the operating system, held through an empty SQLite database in an exclusive transaction, because
 * Node has no `flock`: the kernel drops it however the process ends, so a stale lock cannot exist.
 *
 * @throws ConfigError for a link or anything else but a regular file: SQLite would follow it
 */
export async function takeLock(path: string): Promise<Lock | null> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new ConfigError(`Cannot use the lock "${path}": it is not a regular file`, {
      hint: `Move it away: ${path}`,
    });
  }
  const open = await loadDriver();
  const database = open(path);
  try {
    database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => database.close() };
}

/** SQLITE_BUSY: https://www.sqlite.org/rescode.html#busy; the higher bits of an extended code hold details. */
const BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === BUSY;
}

/** The path of a state directory's lock. */
export function lockFile({ state }: Pick<Paths, 'state'>): string {
  return join(state, 'lock');
}

/**
 * Lets hooks recognize this process as the daemon. A line `PID BOOT START`, replaced in one step; hooks decide by it whether
 * they must start a daemon (`hooks/pid-file.ts`).
 *
 * @param state a daemon may take minutes to start; commands then wait for it and do not end it as a hung one
 */
export function writePidFile(path: string, state: 'starting' | 'ready' = 'ready'): void {
  const { pid, boot, start } = identityOf(process.pid);
  hold(heldFile(path));
  const words = [pid, boot, start, ...(state === 'starting' ? [state] : [])];
  replaceFile(path, `${words.join(' ')}\n`, { mode: 0o600 });
}

/** Removes it: this process is no longer the daemon. */
export function removePidFile(path: string): void {
  rmSync(path, { force: true });
  if (held === null) return;
  closeSync(held);
  held = null;
  rmSync(heldFile(path), { force: true });
}

let held: number | null = null;

/** `UV_FS_O_EXLOCK` of libuv: no other process can open the file until this one ends. */
const EXCLUSIVE = 0x1000_0000;
const ATTEMPTS = 100;

/** On Windows only. A hook that looks at the file at the same moment keeps it from being held. */
function hold(path: string): void {
  if (process.platform !== 'win32' || held !== null) return;
  const wait = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 1; held === null; attempt += 1) {
    try {
      held = openSync(path, constants.O_RDWR | constants.O_CREAT | EXCLUSIVE, 0o600);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      Atomics.wait(wait, 0, 0, 10);
    }
  }
}
