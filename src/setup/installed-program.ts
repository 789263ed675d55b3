import { createHash } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readFile, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { errorCode } from '../platform/errors.ts';
import { readJsonFile } from '../platform/json.ts';
import { writeAtomically } from '../platform/replace-file.ts';
import { lastingNode, programFile } from '../platform/program-files.ts';
import { replaceProgram } from './upgrade/replace-program.ts';
import { copiedPackages, isForOtherSystem } from './copied-packages.ts';

const packageOfProgram = z.object({ name: z.literal('hookbell'), version: z.string() });

/** Name of the file with the folder that a program was copied from. */
const SOURCE = 'source';

/** Parts of an installed program, besides its runtime packages (runtime-packages.ts). */
const parts: readonly string[] = [
  'package.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'config',
  'hooks/hookbell-hook',
  'hooks/hookbell-ask',
  'hooks/hookbell-command',
  'dist/program',
];

/** The types of `hookbell/client`, whose code is in one file of `dist/program`. */
const typed: readonly string[] = ['dist/src/vendor/client'];

/**
 * Copies the built program from a checkout, so that a moved checkout or a changed Node version manager breaks nothing.
 * The new copy is complete before it replaces the old one.
 *
 * @param options.anyNode the copy is for every supported Node, not only for this one
 */
export async function copyProgram(
  checkout: string,
  program: string,
  options: { readonly anyNode?: boolean } = {},
): Promise<void> {
  const fresh = `${program}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true, mode: 0o755 });
  const own = parts.map((part) => ({ from: join(checkout, part), to: part }));
  for (const { from, to } of [...own, ...(await copiedPackages(checkout, options))]) {
    await cp(from, join(fresh, to), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !isForOtherSystem(path),
    });
  }
  for (const part of typed) {
    // A checkout that was built to measure coverage, or unpacked from an archive of programs, may lack them.
    const copying = cp(join(checkout, part), join(fresh, part), {
      recursive: true,
      filter: isTyped,
    });
    await copying.catch(ignoreMissing);
  }
  await closeToOthers(fresh);
  await recordNode(fresh);
  await recordSource(fresh, checkout);
  // The compiler writes plain files.
  await chmod(programFile('commandLine', fresh), 0o755);
  await replaceProgram(fresh, program);
}

/** Records the folder from which a program was copied, where `hookbell upgrade` looks for a newer one. */
export async function recordSource(program: string, source: string): Promise<void> {
  await keepLine(join(program, SOURCE), await realpath(source));
}

/** The folder from which a program was copied; null if it was not copied. */
export async function recordedSource(program: string): Promise<string | null> {
  const text = await readFile(join(program, SOURCE), 'utf8').catch(() => null);
  return text === null ? null : text.trimEnd();
}

/** The version of the program in a folder; null without one. */
export async function programVersion(folder: string): Promise<string | null> {
  const found = await readJsonFile(join(folder, 'package.json'));
  return packageOfProgram.safeParse(found).data?.version ?? null;
}

/** Records the current Node for the command `hookbell` (hooks/hookbell-command). */
export async function recordNode(program: string): Promise<void> {
  await keepLine(join(program, 'node-path'), lastingNode());
}

async function keepLine(path: string, text: string): Promise<void> {
  const line = `${text}\n`;
  if ((await readFile(path, 'utf8').catch(() => null)) === line) return;
  await writeAtomically(path, line, { mode: 0o644 });
}

/** Removes write permission for others below a directory, which umask 002 leaves: anyone who can write to the program controls the daemon. */
export async function closeToOthers(directory: string): Promise<void> {
  // Windows keeps no such modes.
  if (process.platform === 'win32') return;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    await closeOne(join(entry.parentPath, entry.name));
  }
  await closeOne(directory);
}

async function isTyped(path: string): Promise<boolean> {
  return path.endsWith('.d.ts') || (await lstat(path)).isDirectory();
}

async function closeOne(path: string): Promise<void> {
  const { mode } = await lstat(path);
  if ((mode & 0o022) !== 0) await chmod(path, mode & 0o7755);
}

/** Equal for two copies of the same program with the same versions of its packages; "" where there is none. */
export async function programFingerprint(place: string): Promise<string> {
  const packages = await copiedPackages(place).catch(() => null);
  if (packages === null) return '';
  const versions = packages.map(({ to, version }) => `${to} ${version}`);
  return `${await fingerprint(place, parts)} ${versions.toSorted().join(' ')}`;
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

/**
 * A hash of the names and contents of files, with which an installation detects changes.
 *
 * @param files files and directories below `base`; missing ones are skipped
 */
async function fingerprint(base: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const part of files.toSorted()) {
    for (const path of await filesBelow(join(base, part))) {
      hash.update(`${path.slice(base.length)}\0`);
      hash.update(await readFile(path));
      hash.update('\0');
    }
  }
  return hash.digest('hex');
}

async function filesBelow(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => null);
  if (entries === null) return (await readFile(path).catch(() => null)) === null ? [] : [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
