import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file in one step: readers see the old text or the new one, never a part. A link that stands at `path`
 * is replaced, not followed.
 *
 * @throws when the directory takes no file
 */
export function replaceFile(path: string, text: string, { mode }: { readonly mode: number }): void {
  const fresh = `${path}.${randomUUID()}`;
  try {
    writeFileSync(fresh, text, { mode, flag: 'wx' });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
