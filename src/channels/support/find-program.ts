import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

const DEFAULT_PATH = ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);

/**
 * Looks a program up as the shell would, once, so that what runs later is always the same file. Relative entries of
 * PATH are passed over: a directory the daemon happens to be in must not decide what runs.
 *
 * @param name such as "notify-send", or an absolute path, which is only checked
 * @param path the value of PATH
 * @returns its absolute path, or null where there is none
 */
export async function findProgram(name: string, path = DEFAULT_PATH): Promise<string | null> {
  const places = isAbsolute(name)
    ? [name]
    : path.split(delimiter).map((place) => join(place, name));
  for (const place of places) {
    if (isAbsolute(place) && (await isExecutableFile(place))) return place;
  }
  return null;
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
