import { closeSync, existsSync, lstatSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** A file in the spool that is being written: the header is in it, payload and last line are to come. */
export interface Envelope {
  /** Appends a piece of the payload; one that cannot be written leaves the envelope cut for good. */
  append(bytes: Uint8Array): void;
  /** Writes the last line, by which the daemon knows that the payload is whole, unless the envelope is cut. */
  seal(): void;
}

/**
 * Creates an envelope under an unpredictable name, and the spool if it is missing.
 *
 * @param header `key=value` a line
 * @throws when the spool is not our own directory, or takes no file
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

/** @throws when it cannot be made */
export function makeSpool(spool: string): void {
  refuseMissingHome(spool);
  mkdirSync(spool, { recursive: true, mode: 0o700 });
}

/** A home directory that does not exist is not made: it belongs to a service user that has none. */
function refuseMissingHome(spool: string): void {
  const [, home] = /^(.*)[\\/]\.local[\\/]state[\\/]hookbell[\\/]spool$/.exec(spool) ?? [];
  if (home !== undefined && !existsSync(`${home}/`)) throw new Error(`"${home}" does not exist`);
}

/** A link, or a directory of somebody else, would hand the payload to another user. */
function refuseForeign(spool: string): void {
  const found = lstatSync(spool);
  const isOurs = process.geteuid === undefined || found.uid === process.geteuid();
  if (!found.isDirectory() || !isOurs) throw new Error(`The spool "${spool}" is not ours`);
}
