import { realpath } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { dirname, sep } from 'node:path';

import { z } from 'zod';

import type { RuleFile, RuleLanguage } from '../../core/agent/rule-language.ts';
import { agentNames } from '../../core/hook-event.ts';
import { sha256 } from '../../platform/crypto.ts';
import { fileSystem, whyNotOurs } from '../../platform/ownership.ts';
import { writeAtomically } from '../../platform/replace-file.ts';
import { stateFile, type StateFile } from '../../platform/state-file.ts';
import { type EditedRules, rulesIn, withoutRules, withRules } from './edit-rules.ts';
import { type HookSurroundings, placesOf } from '../hook-places.ts';
import { makeDirectory, removeEmptyDirectories } from '../manifest.ts';
import { fileExists, readSettingsText } from '../settings-file.ts';

/** A file with rules of an agent. */
export interface FoundRules extends Pick<RuleFile, 'scope' | 'isShared'> {
  readonly path: string;
  readonly rules: readonly string[];
}

type Where = Pick<HookSurroundings, 'home' | 'configHome' | 'env'> & {
  /** The directory of the project; null: only the user's files. */
  readonly root: string | null;
};

/** The files in which an agent has rules, or would have them, in the order of its language. */
export async function rulesOf(
  language: RuleLanguage,
  { root, ...around }: Where,
): Promise<readonly FoundRules[]> {
  const found: FoundRules[] = [];
  for (const { scope, paths, ...file } of language.files) {
    if (scope === 'project' && (root === null || root === around.home)) continue;
    const surroundings = { ...around, base: around.home, searchPath: '' };
    const places = paths.flatMap((path) =>
      placesOf(path, language, surroundings, scope === 'project' ? root : null).slice(-1),
    );
    const [path = ''] = [...(await existing(places)), ...places.slice(-1)];
    const read = await readSettingsText(path);
    const rules = read.state === 'ok' ? rulesIn(read.text, language) : [];
    found.push({ scope, path, rules, ...file });
  }
  return found;
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(paths.map(fileExists));
  return paths.filter((_, at) => there[at]);
}

/** The file by which an organization sets the rules of an agent here; null: none. */
export async function managedBy({ managed }: RuleLanguage): Promise<string | null> {
  return (await existing(managed))[0] ?? null;
}

/** A change of a file, before it is made. */
export interface RulePlan extends Pick<RuleRecord, 'added' | 'removed'> {
  readonly path: string;
  /** Null: there is no such file. */
  readonly before: Buffer | null;
  readonly after: string;
}

/**
 * The text to write, or why the file is left alone.
 *
 * @param options.root the project that the file has to be in; null: it is the user's
 */
export async function planRules(
  path: string,
  language: RuleLanguage,
  { root, added = [], removed = [] }: { root: string | null; added?: string[]; removed?: string[] },
): Promise<RulePlan | { readonly problem: string }> {
  const read = await readSettingsText(path);
  if (read.state === 'unreadable') return { problem: read.reason };
  if (root !== null && !(await isInside(path, root))) {
    return { problem: 'a link leads out of the project' };
  }
  const foreign = await whyNotOurs(path, 'file', fileSystem(), { allowMissing: true });
  if (foreign !== null) return { problem: foreign };
  const before = read.state === 'ok' ? read : null;
  if (before?.readOnly === true) return { problem: 'it is read-only' };
  const edited = editedRules(before?.text ?? '', language, added, removed);
  return edited.ok
    ? { path, before: before?.bytes ?? null, after: edited.text, added, removed }
    : edited;
}

const journalSchema = z.array(
  z.object({
    at: z.number(),
    path: z.string(),
    /** The bytes before, in base64; null: there was no file. */
    before: z.string().nullable(),
    /** Of the text after. */
    hash: z.string(),
    directories: z.array(z.string()),
    agent: z.enum(agentNames),
    added: z.array(z.string()),
    removed: z.array(z.string()),
  }),
);
export type RuleJournal = StateFile<z.infer<typeof journalSchema>>;
export type RuleRecord = z.infer<typeof journalSchema>[number];

/** Older changes cannot be undone. */
const MOST_RECORDS = 50;

export function ruleJournal(path: string): RuleJournal {
  return stateFile(path, journalSchema, { durable: true });
}

/**
 * Makes a change, after it was noted in the journal; false: the file has changed since it was planned.
 *
 * @param at of everything that is undone together
 */
export async function applyRules(
  { path, before, after, added, removed }: RulePlan,
  journal: RuleJournal,
  { at, agent }: Pick<RuleRecord, 'at' | 'agent'>,
): Promise<boolean> {
  const now = await readSettingsText(path);
  if (!(now.state === 'ok' ? before?.equals(now.bytes) === true : before === null)) return false;
  const directories = [...(await makeDirectory(dirname(path), 0o755))];
  const bytes = before?.toString('base64') ?? null;
  const change = { path, before: bytes, hash: sha256(after), added, removed };
  const record = { ...change, at, directories, agent };
  journal.write([...(journal.read() ?? []), record].slice(-MOST_RECORDS));
  await writeAtomically(path, after);
  return true;
}

/**
 * Takes back a change of a file: `restored`, its bytes are those from before; `reverted`, it was changed since then, and only the
 * rules are as before; or why it is left alone.
 */
export async function undoRules(
  { path, before, hash, directories, added, removed }: RuleRecord,
  language: RuleLanguage,
): Promise<'restored' | 'reverted' | { readonly problem: string }> {
  const now = await readSettingsText(path);
  const was = before === null ? null : Buffer.from(before, 'base64');
  if (now.state === 'ok' ? was?.equals(now.bytes) === true : was === null) return 'restored';
  if (now.state !== 'ok') return { problem: 'it cannot be read' };
  if (sha256(now.text) !== hash) {
    const edited = editedRules(now.text, language, removed, added);
    if (!edited.ok) return edited;
    await writeAtomically(path, edited.text);
    return 'reverted';
  }
  if (was === null) rmSync(path);
  else await writeAtomically(path, was);
  await removeEmptyDirectories(directories);
  return 'restored';
}

function editedRules(
  text: string,
  language: RuleLanguage,
  added: readonly string[],
  removed: readonly string[],
): EditedRules {
  const first = withRules(text, language, added);
  return first.ok ? withoutRules(first.text, language, removed) : first;
}

/** Whether a path, or the part of it that exists, is in a directory once links are followed. */
async function isInside(path: string, directory: string): Promise<boolean> {
  const base = await realpath(directory).catch(() => null);
  if (base === null) return false;
  for (let place = path; ; place = dirname(place)) {
    const found = await realpath(place).catch(() => null);
    if (found !== null) return found === base || found.startsWith(base + sep);
  }
}

/** Lines that are shown around a change. */
const CONTEXT = 2;

/** What changes in a file, as lines that begin with "-" and "+". */
export function planDiff({ path, before, after }: RulePlan): readonly string[] {
  const old = before === null ? [] : before.toString().split('\n');
  const fresh = after.split('\n');
  let from = 0;
  while (from < old.length && old[from] === fresh[from]) from += 1;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - from;
  while (end < most && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return [
    `${path}${before === null ? ' (new)' : ''}`,
    ...old.slice(Math.max(0, from - CONTEXT), from).map((line) => `  ${line}`),
    ...old.slice(from, old.length - end).map((line) => `- ${line}`),
    ...fresh.slice(from, fresh.length - end).map((line) => `+ ${line}`),
    ...old
      .slice(old.length - end)
      .slice(0, CONTEXT)
      .map((line) => `  ${line}`),
  ];
}
