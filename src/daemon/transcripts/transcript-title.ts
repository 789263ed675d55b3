import { isAbsolute, join } from 'node:path';

import { titleInTranscript } from '../../agents/support/transcript-lines.ts';
import type { FarFiles } from '../../core/far-files.ts';
import type { ReadTranscriptTitle } from '../../delivery/enrich.ts';
import { openOwnFile, type OwnFile } from '../../platform/own-file.ts';

/** Transcripts grow to hundreds of megabytes; titles are at the beginning, and near the end once they change. */
const PIECE_BYTES = 65_536;

export interface TranscriptOptions {
  /** The user whose files are read; null where user ids do not exist. */
  readonly uid: number | null;
}

/** Reads titles from the transcripts that payloads name; "~/" is the home directory. Never rejects. */
export function transcriptTitles(
  options: TranscriptOptions & { readonly files: FarFiles; readonly home: string },
): ReadTranscriptTitle {
  const { files, home, uid } = options;
  return async (path) => {
    const whole = wholePath(path, home);
    if (whole === null) return null;
    try {
      return await files.run('transcriptTitle', { path: whole, uid });
    } catch {
      // Its file system does not respond: the session is shown under another name.
      return null;
    }
  };
}

/** Reads the ends of the transcripts that payloads name, as text; null if one cannot be read. Never rejects. */
export function transcriptTails({
  files,
  home,
  uid,
}: TranscriptOptions & {
  readonly files: FarFiles;
  readonly home: string;
}): (path: string, bytes?: number) => Promise<string | null> {
  return async (path, bytes = TAIL_BYTES) => {
    const whole = wholePath(path, home);
    // Its file system may not respond.
    return whole === null
      ? null
      : files.run('transcriptTail', { path: whole, uid, bytes }).catch(() => null);
  };
}

function wholePath(path: string, home: string): string | null {
  const whole = path.startsWith('~/') ? join(home, path.slice(2)) : path;
  return isAbsolute(whole) ? whole : null;
}

/**
 * The title in the transcript a payload names. Payloads are hostile: only a regular file of this user is opened, no
 * link or FIFO, only its ends are read, and of these only lines that hold a title. Null for everything else.
 */
export async function readTranscriptTitle(
  path: string,
  { uid }: TranscriptOptions,
): Promise<string | null> {
  return readOwn(path, uid, (file) => titleInTranscript(readEnds(file)));
}

/** One message with a long file in it still fits. */
const TAIL_BYTES = 262_144;

/** The end of the transcript a payload names, as text; null if it must not be read, as for its title. */
export async function readTranscriptTail(
  path: string,
  { uid }: TranscriptOptions,
  bytes = TAIL_BYTES,
): Promise<string | null> {
  return readOwn(path, uid, (file) => readPiece(file, Math.max(0, file.stats.size - bytes), bytes));
}

/** A transcript, or the record of running sessions. */
const sessionFile = /\.jsonl$|\/sessions\/\d+\.json$|\/active_sessions\.json$/;

/** Null if the file does not exist yet, or must not be read. */
function readOwn<Found>(
  path: string,
  uid: number | null,
  read: (file: OwnFile) => Found,
): Found | null {
  if (!isAbsolute(path) || !sessionFile.test(path)) return null;
  try {
    const file = openOwnFile(path, uid);
    if (file.type !== 'open') return null;
    try {
      return read(file);
    } finally {
      file.close();
    }
  } catch {
    return null;
  }
}

function readEnds(file: OwnFile): readonly string[] {
  const rest = file.stats.size - PIECE_BYTES;
  const first = readPiece(file, 0, PIECE_BYTES);
  return rest <= 0 ? [first] : [first, readPiece(file, Math.max(PIECE_BYTES, rest), PIECE_BYTES)];
}

function readPiece(file: OwnFile, position: number, bytes: number): string {
  return file.read(position, Math.min(bytes, file.stats.size)).toString();
}
