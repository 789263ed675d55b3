import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';

import { type ParametersOf, fileAttachment, imageAttachment } from '../../vendor/client/index.ts';
import { UsageError, whyUnreadable } from '../../platform/errors.ts';

type Parameters = ParametersOf<'sessions.addMessage'>;
type Image = NonNullable<Parameters['images']>[number];
type File = NonNullable<Parameters['files']>[number];

/** Base64 of "%PDF-". */
const PDF_START = 'JVBERi';

/** @throws UsageError, like the other reader here, when the file cannot be read or the service does not accept its type */
export function readImage(path: string, maxBytes: number): Image {
  const bytes = readBytes(path, maxBytes);
  try {
    return imageAttachment(bytes);
  } catch (cause) {
    throw new UsageError(
      `Cannot send "${path}" as an image: it is not a PNG, JPEG, GIF or WebP file`,
      { cause },
    );
  }
}

/** A PDF or text file; its local path is not sent. */
export function readFile(path: string, maxBytes: number): File {
  const bytes = readBytes(path, maxBytes);
  const file = fileAttachment(basename(path), bytes);
  const isPdf = file.data?.startsWith(PDF_START) === true;
  if (isPdf || file.parsedData !== undefined) return file;
  throw new UsageError(`Cannot send "${path}" as a file: it is neither a PDF nor text in UTF-8`);
}

function readBytes(path: string, maxBytes: number): Uint8Array {
  try {
    const found = statSync(path);
    // Reading a FIFO or device might never end.
    if (!found.isFile()) throw new UsageError(`Cannot send "${path}": it is not a regular file`);
    if (found.size === 0) throw new UsageError(`Cannot send "${path}": it is empty`);
    if (found.size > maxBytes) {
      throw new UsageError(`Cannot send "${path}": it has ${found.size} bytes, limit ${maxBytes}`, {
        hint: 'The limit is "api.max_message_size"; the limit of the service is unknown',
      });
    }
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`Cannot read "${path}": ${whyUnreadable(cause)}`, { cause });
  }
}
