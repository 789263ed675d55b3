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
    const link = await lstat(path).catch(() => null);
    if (link?.isSymbolicLink() !== true) return { state: 'missing' };
    // Writing would replace the link with a file.
    return { state: 'unreadable', reason: 'it is a link to a missing file' };
  }
  if (!isUtf8(bytes)) return { state: 'unreadable', reason: 'it is not valid UTF-8' };
  const { mode } = await stat(path);
  return { state: 'ok', bytes, text: bytes.toString('utf8'), readOnly: (mode & 0o222) === 0 };
}

/** Our own JSON document, as a file. */
export function formatJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** @param mode of access(2) that is wanted, such as `constants.X_OK` */
export function fileExists(path: string, mode?: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
