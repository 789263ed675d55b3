import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { sha256 } from '../platform/crypto.ts';
import { decodePayload, type Unreadable } from '../agents/decode.ts';
import { errorCode } from '../platform/errors.ts';
import type { HookRecord } from '../core/hook-event.ts';
import { isEnvelopeName } from './envelope.ts';
import type { SpoolEntry } from './listing.ts';
import type { Spool } from './spool.ts';

export type Received =
  | { readonly type: 'record'; readonly record: HookRecord }
  /** `error` is the bug that keeps it from becoming an event, if it is one. */
  | { readonly type: 'set-aside'; readonly file: SetAside; readonly error?: unknown }
  /** Trouble of the machine, such as EMFILE or EIO: it may work later. */
  | { readonly type: 'failed'; readonly error: unknown }
  /** Nothing to do now. */
  | { readonly type: 'nothing' };

const unreadable: Readonly<Record<Unreadable, string>> = {
  empty: 'The payload is empty',
  'invalid-json': 'The payload is not JSON, or is truncated',
  'not-object': 'The payload is JSON, but not an object',
  'no-event': 'The payload does not name its event',
};

interface ReceiveOptions {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly prepare?: ((record: HookRecord) => HookRecord) | undefined;
}

/** Converts a file of the spool to a hook event. Never throws: one envelope must not block the others. */
export function receive(spool: Spool, entry: SpoolEntry, options: ReceiveOptions): Received {
  try {
    return read(spool, entry, options);
  } catch (error) {
    if (errorCode(error) !== null) return { type: 'failed', error };
    return { ...setAside(entry, 'bad-envelope', 'It cannot be read: see the log'), error };
  }
}

function read(
  spool: Spool,
  entry: SpoolEntry,
  { receivedAt, prepare = (record) => record }: ReceiveOptions,
): Received {
  const taken = spool.take(entry);
  switch (taken.type) {
    case 'waiting':
    case 'gone':
      return { type: 'nothing' };
    case 'refused':
      return setAside(entry, taken.reason, taken.detail);
    case 'ready':
  }
  const decoded = decodePayload(taken);
  if (!decoded.ok) {
    return setAside(entry, decoded.reason, `${unreadable[decoded.reason]} (from ${decoded.agent})`);
  }
  // A future file counts as current: the clock was set back, or the file system has another clock.
  const at = Math.floor(Math.min(entry.createdAt, receivedAt));
  const event = { ...decoded.event, id: entry.name, at, receivedAt };
  return { type: 'record', record: prepare({ event, payload: taken.payload }) };
}

function setAside(entry: SpoolEntry, reason: string, detail: string) {
  return {
    type: 'set-aside' as const,
    file: { name: entry.name, size: entry.size, reason, detail },
  };
}

/** A file to move from the spool to the quarantine, and the reason. */
export interface SetAside {
  /** Its name in the spool. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly reason: string;
  /** A sentence without any content of the file, which may hold secrets. */
  readonly detail: string;
}

/** The name of a file in quarantine, which is its id. A file not named by a hook gets a harmless name. */
export function quarantineId(name: string): string {
  if (isEnvelopeName(name)) return name;
  return `stray-${sha256(name).slice(0, 32)}`;
}

/**
 * Moves a file, link or directory out of the spool without opening it, and writes the reason next to it.
 *
 * @throws NodeJS.ErrnoException if it cannot be moved; then it is still in the spool
 */
export function moveToQuarantine(spool: string, quarantine: string, file: SetAside): void {
  const place = join(quarantine, quarantineId(file.name));
  mkdirSync(quarantine, { recursive: true, mode: 0o700 });
  renameSync(join(spool, file.name), place);
  const note = `${file.reason}: ${file.detail}\n`;
  writeFileSync(`${place}.reason`, note, { mode: 0o600 });
}
