import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

import { z } from 'zod';

import { readOwnFile } from '../platform/own-file.ts';
import { sha256 } from '../platform/crypto.ts';
import { replaceFile } from '../platform/replace-file.ts';
import type { ProjectSettings } from '../core/policy.ts';
import { isJsonObject, readJsonFile } from '../platform/json.ts';
import { cutText, displayLine } from '../text/sanitize.ts';
import { kindsSchema } from './match-schema.ts';

/** All settings of a project. Nothing that could notify a person, run a program or show more may be added here. */
const wishes = {
  label: z.string().regex(/\S/).max(80),
  mute: kindsSchema,
};

/** The settings in a file, whether trusted or not. */
export interface ProjectWishes extends Pick<ProjectSettings, 'label' | 'mute'> {
  /** Ignored settings with reasons, as sentences for people. */
  readonly ignored: readonly string[];
}

/** Reads the text of a project's file. Mistakes are ignored and reported: they never lose an event. */
export async function readWishes(text: string): Promise<ProjectWishes> {
  const { readYaml } = await import('./yaml-document.ts');
  const reading = readYaml(text);
  const none = { label: null, mute: [] };
  if (!reading.ok) return { ...none, ignored: ['it is not valid YAML'] };
  const document = reading.value ?? {};
  if (!isJsonObject(document)) return { ...none, ignored: ['it is not a mapping'] };

  const label = wishes.label.optional().safeParse(document['label']);
  const mute = wishes.mute.optional().safeParse(document['mute']);
  const foreign = Object.keys(document).filter((key) => !Object.hasOwn(wishes, key));
  return {
    label: label.data === undefined ? null : displayLine(label.data) || null,
    mute: mute.data ?? [],
    ignored: [
      ...foreign.map(
        (key) => `"${cutText(displayLine(key), 40)}" is ignored: a project can only mute and label`,
      ),
      ...(label.success ? [] : ['"label" is ignored: it is not text of at most 80 characters']),
      ...(mute.success ? [] : ['"mute" is ignored: it is not a list of kinds']),
    ],
  };
}

/**
 * The settings of a project's file that are in force.
 *
 * @param trusted hashes of trusted files, by path
 */
export async function settingsOf(
  { path: file, content }: ProjectFile,
  trusted: ReadonlyMap<string, string>,
): Promise<ProjectSettings> {
  const without = (note: string): ProjectSettings => ({ file, label: null, mute: [], note });
  if (!content.ok) return without(`is not applied: it ${content.reason}`);
  const trust = trusted.get(file);
  if (trust !== content.hash) {
    const why = trust === undefined ? 'is not trusted' : 'has changed since it was trusted';
    return without(`is not applied: it ${why} (see "hookbell project show")`);
  }
  const { label, mute, ignored } = await readWishes(content.text);
  return { file, label, mute, note: ignored.length === 0 ? null : ignored.join('; ') };
}

const File = z.record(z.string(), z.string());

/**
 * The trusted project files: their hashes by path. Empty if the list cannot be read.
 *
 * @param path of hookbell's list
 */
export async function readTrusted(path: string): Promise<ReadonlyMap<string, string>> {
  const parsed = File.safeParse(await readJsonFile(path));
  return new Map(Object.entries(parsed.data ?? {}));
}

/** Replaces the list atomically. @throws NodeJS.ErrnoException if its directory is not writable */
export function writeTrusted(path: string, trusted: ReadonlyMap<string, string>): void {
  const text = `${JSON.stringify(Object.fromEntries(trusted), null, 2)}\n`;
  replaceFile(path, text, { mode: 0o600 });
}

/** The optional settings file of a project. */
export const PROJECT_FILE = '.hookbell.yaml';

/** Far more than the few lines of such a file. */
const MAX_BYTES = 16_384;
/** Deeper than directories are nested in practice. */
const MAX_LEVELS = 40;

/** The file of a project. Untrusted, because it comes with the repository. */
export interface ProjectFile {
  readonly path: string;
  readonly content:
    | { readonly ok: true; readonly text: string; readonly hash: string }
    /** Completes a sentence that begins with "it". */
    | { readonly ok: false; readonly reason: string };
}

/**
 * Finds the file in force for a directory: its own, or that of the nearest parent up to the top of the git work tree.
 * Outside a work tree only the directory itself counts. Null if not found.
 *
 * @param uid our user id; null on systems without user ids
 */
export async function findProjectFile(
  directory: string,
  uid: number | null,
): Promise<ProjectFile | null> {
  if (!isAbsolute(directory) || directory.includes('\0')) return null;
  const start = await realpath(directory).catch(() => null);
  if (start === null) return null;
  let found: ProjectFile | null = null;
  let place = start;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    found ??= readProjectFile(join(place, PROJECT_FILE), uid);
    if (await exists(join(place, '.git'))) return found;
    const parent = dirname(place);
    if (parent === place) break;
    place = parent;
  }
  const isOwn = found !== null && dirname(found.path) === start;
  return isOwn ? found : null;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function readProjectFile(path: string, uid: number | null): ProjectFile | null {
  const refused = (reason: string): ProjectFile => ({ path, content: { ok: false, reason } });
  try {
    const file = readOwnFile(path, uid, MAX_BYTES);
    if (file.type === 'gone') return null;
    if (file.type === 'not-ours') return refused(file.detail.replace(/^It /, ''));
    if (uid !== null && (file.stats.mode & 0o022) !== 0) return refused('can be written by others');
    if (file.stats.size > MAX_BYTES) return refused(`is larger than ${MAX_BYTES} bytes`);
    return { path, content: { ok: true, text: file.bytes.toString(), hash: sha256(file.bytes) } };
  } catch {
    return refused('cannot be read');
  }
}
