import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isatty } from 'node:tty';

import { pause, systemTimer } from '../../platform/time.ts';

const TERMINAL_PATH = /^\/dev\/(?:pts\/\d+|tty\w+)$/;

/**
 * A terminal that accepted the beginning of a sequence gets this long for the rest, ms: half of one would swallow the
 * next output.
 */
const REST_MS = 500;

/** `trouble` follows "the terminal" in a sentence; `passes`: it may accept text later. */
export type Written =
  | { readonly type: 'written' }
  | { readonly type: 'refused'; readonly trouble: string; readonly passes: boolean };

// It must not become the daemon's own terminal, a held one must not block the daemon, and a link must not lead
// elsewhere.
const FLAGS = constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Writes to a terminal of this user, and to nothing else, whatever the path names. Never waits for a held terminal. */
export async function writeTerminal(path: string, text: string): Promise<Written> {
  if (!TERMINAL_PATH.test(path)) return refused('has an invalid path');
  let file: FileHandle;
  try {
    file = await open(path, FLAGS);
  } catch {
    return refused('is gone');
  }
  try {
    const device = await file.stat();
    if (!device.isCharacterDevice() || !isatty(file.fd)) return refused('is not a terminal device');
    if (device.uid !== process.geteuid?.()) return refused('belongs to another user');
    return await writeAll(file, Buffer.from(text));
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<Written> {
  let rest = bytes;
  for (let waitedMs = 0; waitedMs <= REST_MS; waitedMs += 20) {
    try {
      const { bytesWritten } = await file.write(rest);
      rest = rest.subarray(bytesWritten);
    } catch {
      // EAGAIN: its output is held, as by Ctrl-S. After any other error nothing more can be done.
      if (rest.length === bytes.length) {
        return { type: 'refused', trouble: 'does not accept text', passes: true };
      }
    }
    if (rest.length === 0) return { type: 'written' };
    await pause(20, systemTimer);
  }
  return refused('accepted only a part of the text');
}

function refused(trouble: string): Written {
  return { type: 'refused', trouble, passes: false };
}
