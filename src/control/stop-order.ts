import { lstatSync, readFileSync, rmSync } from 'node:fs';

import type { Paths } from '../core/paths.ts';
import { errorCode } from '../platform/errors.ts';
import { replaceFile } from '../platform/replace-file.ts';
import { displayLine } from '../text/sanitize.ts';

/** That a person stopped the daemon. While it holds, no hook starts one. */
export interface StopOrder {
  /** Unix ms. */
  readonly at: number;
  /** For people: such as "ada", or "ada through a coding agent". */
  readonly by: string;
  /** Unix ms; null: until `hookbell start`. */
  readonly until: number | null;
  /** Whether the service starts the daemon again at the next log-in. */
  readonly endsAtLogin: boolean;
}

type Place = Pick<Paths, 'stopped'>;

/**
 * Writes the order: one line, `UNTIL LOGIN AT BY`, times in seconds, UNTIL "-" without a time. Hooks read the first word
 * (`hooks/hookbell-hook`).
 */
export function writeStopOrder({ stopped }: Place, order: StopOrder): void {
  const words = [
    order.until === null ? '-' : seconds(order.until),
    order.endsAtLogin ? 'log-in' : 'start',
    seconds(order.at),
    displayLine(order.by),
  ];
  replaceFile(stopped, `${words.join(' ')}\n`, { mode: 0o600, durable: true });
}

function seconds(ms: number): string {
  return String(Math.ceil(ms / 1_000));
}

/** The order in force; null if there is none, or its time is over. */
export function readStopOrder({ stopped }: Place, now: number): StopOrder | null {
  if (!isFile(stopped)) return null;
  const [, end, login, at, by = ''] =
    /^(-|\d{1,12}) (log-in|start) (\d{1,12}) (.+)$/m.exec(readFileSync(stopped, 'utf8')) ?? [];
  if (end === undefined) return null;
  const until = end === '-' ? null : Number(end) * 1_000;
  if (until !== null && until <= now) return null;
  return { at: Number(at) * 1_000, by, until, endsAtLogin: login === 'log-in' };
}

export function liftStopOrder({ stopped }: Place): void {
  if (isFile(stopped)) rmSync(stopped, { force: true });
}

/** A file where the state directory should be is refused by who needs that directory, in better words. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}
