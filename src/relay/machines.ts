import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

import { z } from 'zod';

import { errorCode, FailedError } from '../platform/errors.ts';
import { isMachineName } from './token.ts';

const Machine = z.object({
  name: z.string().refine(isMachineName),
  /** The hash of its token, with which it signs. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  /** Its permissions: to send events, and nothing else. */
  scope: z.literal('events'),
  /** Unix ms. */
  pairedAt: z.number(),
});
const File = z.object({ version: z.literal(1), machines: z.array(Machine) });

/** A machine that may relay to this one. */
export type PairedMachine = z.output<typeof Machine>;

/**
 * The machines paired with this one. A missing file means none.
 *
 * @throws FailedError for a file that is not what `machinesText` makes, or that others may read or write
 */
export async function readMachines(path: string): Promise<readonly PairedMachine[]> {
  const text = await readOwn(path);
  if (text === null) return [];
  try {
    return File.parse(JSON.parse(text)).machines;
  } catch (error) {
    throw unreadable(path, 'its content is not from hookbell', error);
  }
}

/** Null if the file is missing. */
async function readOwn(path: string): Promise<string | null> {
  try {
    // Windows lacks both flags.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const file = await open(path, flags);
    try {
      const { uid, mode } = await file.stat();
      const self = process.geteuid?.();
      if (self !== undefined && (uid !== self || (mode & 0o077) !== 0)) {
        throw unreadable(path, 'others may read or write it');
      }
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (error instanceof FailedError) throw error;
    throw unreadable(path, errorCode(error) ?? 'it cannot be opened', error);
  }
}

function unreadable(path: string, reason: string, cause?: unknown): FailedError {
  return new FailedError(`Cannot read the paired machines in "${path}": ${reason}`, {
    hint: 'Remove the file and pair the machines again',
    cause,
  });
}

/** The file's text for these machines. */
export function machinesText(machines: readonly PairedMachine[]): string {
  return `${JSON.stringify({ version: 1, machines }, null, 2)}\n`;
}
