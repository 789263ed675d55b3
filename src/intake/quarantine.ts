import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isEnvelopeName } from './envelope.ts';

/** Where a file of the spool is to be kept, and why. */
export interface SetAside {
  /** As it is called in the spool. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly reason: string;
  /** A sentence without any content of the file, which may hold secrets. */
  readonly detail: string;
}

/** The name of a file in quarantine, which is its id. What no hook named gets a harmless name. */
export function quarantineId(name: string): string {
  if (isEnvelopeName(name)) return name;
  return `stray-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/**
 * Moves a file, link or directory out of the spool as it is, without opening it, and notes the reason beside it.
 *
 * @throws NodeJS.ErrnoException when it cannot be moved; then it is still in the spool
 */
export function moveToQuarantine(spool: string, quarantine: string, file: SetAside): void {
  const place = join(quarantine, quarantineId(file.name));
  mkdirSync(quarantine, { recursive: true, mode: 0o700 });
  renameSync(join(spool, file.name), place);
  const note = `${file.reason}: ${file.detail}\n`;
  writeFileSync(`${place}.reason`, note, { mode: 0o600 });
}
