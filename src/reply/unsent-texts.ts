import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Saves a person's unsent text where no field could keep it: in a separate file (0600). Those in the directory of
 * replies are deleted with the records there, after 30 days. Returns its path.
 *
 * @throws when the directory takes no file
 */
export function keepUnsentText(directory: string, text: string, now: number): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  const path = join(directory, `unsent-${time}-${randomBytes(3).toString('hex')}.txt`);
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  return path;
}
