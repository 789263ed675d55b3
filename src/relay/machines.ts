import { z } from 'zod';

import { errorCode, FailedError } from '../platform/errors.ts';
import { readOwnFile } from '../platform/own-file.ts';
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
  const text = readOwn(path);
  if (text === null) return [];
  try {
    return File.parse(JSON.parse(text)).machines;
  } catch (error) {
    throw unreadable(path, 'its content is not from hookbell', error);
  }
}

/** Null if the file is missing. */
function readOwn(path: string): string | null {
  const uid = process.geteuid?.() ?? null;
  try {
    const file = readOwnFile(path, uid);
    if (file.type === 'gone') return null;
    const isOpen = file.type === 'read' && uid !== null && (file.stats.mode & 0o077) !== 0;
    if (file.type === 'read' && !isOpen) return file.bytes.toString();
  } catch (error) {
    throw unreadable(path, errorCode(error) ?? 'it cannot be opened', error);
  }
  throw unreadable(path, 'others may read or write it');
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
