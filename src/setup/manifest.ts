import { mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';

import { z } from 'zod';

import { writeAtomically } from '../platform/replace-file.ts';
import { readJsonFile } from '../platform/json.ts';
import { errorCode } from '../platform/errors.ts';
import { hookShapes } from '../core/agent/registration.ts';
import { formatJson } from './settings-file.ts';

/** What an installation changed, so that it can be undone to the byte. Kept in the state directory. */
const manifestSchema = z.object({
  version: z.literal(1),
  /** Directories that did not exist before, outermost first. */
  directories: z.array(z.string()),
  /** Files we created, with the hash of our content: a file that the user edited afterwards is kept. */
  files: z.array(z.object({ path: z.string(), hash: z.string() })),
  /** Files with secrets of the configuration: kept until `--purge`. */
  secrets: z.array(z.string()).default([]),
  settings: z.array(
    z.object({
      path: z.string(),
      shape: z.enum(hookShapes),
      agent: z.string(),
      /** Backup of the original file; null if it did not exist. */
      backup: z.string().nullable(),
      /** Of our last content. */
      hash: z.string(),
    }),
  ),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type SettingsRecord = Manifest['settings'][number];

export const emptyManifest: Manifest = {
  version: 1,
  directories: [],
  files: [],
  secrets: [],
  settings: [],
};

/** The manifest, or an empty one if it is missing or unreadable. */
export async function readManifest(path: string): Promise<Manifest> {
  return manifestSchema.safeParse(await readJsonFile(path)).data ?? emptyManifest;
}

export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  await writeAtomically(path, formatJson(manifest));
}

/** Creates a directory and its parents; returns those that did not exist, outermost first. */
export async function makeDirectory(path: string, mode = 0o755): Promise<readonly string[]> {
  const first = await mkdir(path, { recursive: true, mode });
  if (first === undefined) return [];
  const made: string[] = [];
  for (let current = path; current.length >= first.length; current = dirname(current)) {
    made.unshift(current);
  }
  return made;
}

/** Removes empty directories, innermost first; returns the non-empty ones. */
export async function removeEmptyDirectories(paths: readonly string[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const path of paths.toReversed()) {
    try {
      await rmdir(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') left.unshift(path);
    }
  }
  return left;
}
