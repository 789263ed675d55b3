import { closeSync, existsSync, lstatSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** A file in the spool while it is written: it has its header, but not yet the payload and the last line. */
export interface Envelope {
  /** Appends a piece of the payload; a failed write leaves the envelope truncated for good. */
  append(bytes: Uint8Array): void;
  /** Writes the last line, which tells the daemon that the payload is complete, unless the envelope is truncated. */
  seal(): void;
}

/**
 * Creates an envelope under an unpredictable name, and the spool if it is missing.
 *
 * @param header lines of `key=value`
 * @throws if the spool is not our directory, or is not writable
 */
export function createEnvelope(spool: string, header: string): Envelope {
  makeSpool(spool);
  refuseForeign(spool);
  const id = randomUUID();
  const file = openSync(join(spool, id), 'wx', 0o600);
  let cut = false;
  function append(bytes: Uint8Array | string): void {
    if (cut) return;
    try {
      writeFileSync(file, bytes);
    } catch {
      cut = true;
    }
  }

  append(`hookbell 1\n${header}\n`);
  return {
    append,
    seal() {
      append(`\nhookbell-end ${id}\n`);
      closeSync(file);
    },
  };
}

/** @throws if it cannot be created */
export function makeSpool(spool: string): void {
  refuseMissingHome(spool);
  mkdirSync(spool, { recursive: true, mode: 0o700 });
}

/** A missing home directory is not created: it belongs to a service user without one. */
function refuseMissingHome(spool: string): void {
  const [, home] = /^(.*)[\\/]\.local[\\/]state[\\/]hookbell[\\/]spool$/.exec(spool) ?? [];
  if (home !== undefined && !existsSync(`${home}/`)) throw new Error(`"${home}" does not exist`);
}

/** A link, or a directory of another user, would expose the payload to that user. */
function refuseForeign(spool: string): void {
  const found = lstatSync(spool);
  const isOurs = process.geteuid === undefined || found.uid === process.geteuid();
  if (!found.isDirectory() || !isOurs) throw new Error(`The spool "${spool}" is not ours`);
}
