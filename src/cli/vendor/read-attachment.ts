import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';

import type { ParametersOf } from '../../vendor/client/index.ts';
import { fileAttachment, imageAttachment } from '../../vendor/client/index.ts';
import { UsageError } from '../../platform/errors.ts';

type Parameters = ParametersOf<'sessions.addMessage'>;
type Image = NonNullable<Parameters['images']>[number];
type File = NonNullable<Parameters['files']>[number];

/** Base64 of "%PDF-". */
const PDF_START = 'JVBERi';

/** @throws UsageError, as the other reader here, when it cannot be read or is nothing the service takes */
export function readImage(path: string, maxBytes: number): Image {
  const bytes = readBytes(path, maxBytes);
  try {
    return imageAttachment(bytes);
  } catch (cause) {
    throw new UsageError(`Cannot send "${path}" as an image: it is no PNG, JPEG, GIF or WebP`, {
      cause,
    });
  }
}

/** A PDF or a text; its local path is not told. */
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
    // A FIFO or a device might never end.
    if (!found.isFile()) throw new UsageError(`Cannot send "${path}": it is no regular file`);
    if (found.size === 0) throw new UsageError(`Cannot send "${path}": it is empty`);
    if (found.size > maxBytes) {
      throw new UsageError(
        `Cannot send "${path}": it has ${found.size} bytes, the limit set here is ${maxBytes}`,
        { hint: 'The limit is "api.max_message_size"; what the service itself takes is not known' },
      );
    }
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`Cannot read "${path}"`, { cause });
  }
}
