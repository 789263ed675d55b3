import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { z } from 'zod';

import { errorCode, FailedError } from '../platform/errors.ts';
import { replaceFile } from '../platform/replace-file.ts';

const recordSchema = z.object({
  sessionId: z.string(),
  /** When the send began, Unix ms. */
  startedAt: z.number(),
  pid: z.number(),
  /**
   * - `sending`: it is on its way, or its process died before it knew more.
   * - `unknown`: no process sends it, and whether it arrived is unknown.
   * - `delivered`: it arrived, but the person may not have seen the confirmation.
   */
  state: z.enum(['sending', 'unknown', 'delivered']),
  before: z.object({ status: z.string(), messageCount: z.number(), updatedAt: z.number() }),
  /** Null if the service's response was lost. */
  messageId: z.string().nullable(),
  /** A hash of its text. */
  words: z.string(),
});

/** The record of a reply: enough to determine its outcome, without its text. */
export type ReplyRecord = Readonly<z.infer<typeof recordSchema>>;

const KEPT_MS = 30 * 86_400_000;

export type ReplyJournal = ReturnType<typeof replyJournal>;

/** Keeps the records of replies across crashes: one file per reply, 0600, in a directory of this user alone. */
export function replyJournal(directory: string, now: () => number) {
  const pathOf = (name: string): string => join(directory, `${name}.json`);

  function read(name: string): ReplyRecord | null {
    let text: string;
    try {
      text = readFileSync(pathOf(name), 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
    return recordIn(text, pathOf(name));
  }

  function put(path: string, record: ReplyRecord): void {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    replaceFile(path, `${JSON.stringify(record)}\n`, { mode: 0o600, durable: true });
  }

  return {
    read,
    /** False if another process was faster: then nothing is written. `former` is the record to replace. */
    begin(name: string, record: ReplyRecord, former: ReplyRecord | null): boolean {
      forgetOld(directory, now() - KEPT_MS);
      // Complete on disk before it gets its name.
      const fresh = `${pathOf(name)}.${process.pid}`;
      put(fresh, record);
      const aside = `${pathOf(name)}.former.${process.pid}`;
      try {
        // Of several processes only one can remove the former record, and only one can recreate the name.
        if (former !== null) {
          renameSync(pathOf(name), aside);
          // The faster process has begun already, and this is its record.
          if (!isDeepStrictEqual(recordIn(readFileSync(aside, 'utf8'), aside), former)) {
            linkSync(aside, pathOf(name));
            return false;
          }
        }
        linkSync(fresh, pathOf(name));
        return true;
      } catch (error) {
        const code = errorCode(error);
        if (code === 'EEXIST' || code === 'ENOENT') return false;
        throw error;
      } finally {
        rmSync(fresh, { force: true });
        rmSync(aside, { force: true });
      }
    },
    write: (name: string, record: ReplyRecord) => put(pathOf(name), record),
    forget: (name: string) => rmSync(pathOf(name), { force: true }),
  };
}

/** @throws FailedError for a manually edited record: whether the reply arrived cannot be guessed */
function recordIn(text: string, path: string): ReplyRecord {
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new FailedError(`Cannot read "${path}", the record of a reply`, {
      hint: `Check the session, then remove the file: ${path}`,
      cause,
    });
  }
}

function forgetOld(directory: string, before: number): void {
  for (const file of filesIn(directory)) {
    const path = join(directory, file);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < before) rmSync(path, { force: true });
  }
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
