import { isUtf8 } from 'node:buffer';
import { access, lstat, readFile, stat } from 'node:fs/promises';

import { errorCode } from '../platform/errors.ts';

/** An agent's settings file as stored on disk. */
export type SettingsText =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly reason: string }
  | {
      readonly state: 'ok';
      readonly bytes: Buffer;
      readonly text: string;
      /** Its mode lets no user write to it. */
      readonly readOnly: boolean;
    };

/** Reads a settings file. Invalid UTF-8 would not survive being written back, so it is `unreadable`. */
export async function readSettingsText(path: string): Promise<SettingsText> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT') {
      return { state: 'unreadable', reason: `it cannot be read (${String(code)})` };
    }
    // Writing would replace the link with a file.
    return (await isLink(path))
      ? { state: 'unreadable', reason: 'it is a link to a missing file' }
      : { state: 'missing' };
  }
  if (!isUtf8(bytes)) return { state: 'unreadable', reason: 'it is not valid UTF-8' };
  const { mode } = await stat(path);
  return { state: 'ok', bytes, text: bytes.toString('utf8'), readOnly: (mode & 0o222) === 0 };
}

/** Our own JSON document, as a file. */
export function formatJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

export function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
