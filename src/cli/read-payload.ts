import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import { NotFoundError, UsageError, whyUnreadable } from '../platform/errors.ts';

/**
 * Reads the bytes of a payload from standard input.
 *
 * @throws UsageError if standard input is a terminal: payloads are not typed
 */
export async function readPayloadFromInput(): Promise<Uint8Array> {
  if (process.stdin.isTTY) {
    throw new UsageError('Missing payload: standard input is a terminal', {
      hint: 'Redirect a file into it: < payload.json',
    });
  }
  return buffer(process.stdin);
}

/**
 * Reads the bytes of a payload from a file, or from standard input for "-".
 *
 * @throws NotFoundError when the file cannot be read
 */
export async function readPayloadFrom(place: string): Promise<Uint8Array> {
  if (place === '-') return readPayloadFromInput();
  try {
    return await readFile(place);
  } catch (cause) {
    throw new NotFoundError(`Cannot read the payload "${place}": ${whyUnreadable(cause)}`, {
      cause,
    });
  }
}
