import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const File = z.record(z.string(), z.string());

/**
 * The files of projects that a person has trusted: their hashes by path. What cannot be read counts as no trust at all.
 *
 * @param path of hookbell's list of them
 */
export async function readTrusted(path: string): Promise<ReadonlyMap<string, string>> {
  try {
    const parsed = File.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return new Map(Object.entries(parsed.data ?? {}));
  } catch {
    return new Map();
  }
}

/** Replaces the list in one step. @throws NodeJS.ErrnoException where its directory takes no file */
export async function writeTrusted(
  path: string,
  trusted: ReadonlyMap<string, string>,
): Promise<void> {
  const fresh = `${path}.${randomUUID()}`;
  try {
    const text = `${JSON.stringify(Object.fromEntries(trusted), null, 2)}\n`;
    await writeFile(fresh, text, { mode: 0o600, flag: 'wx' });
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
