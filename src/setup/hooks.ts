import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { errorCode } from '../platform/errors.ts';
import type { DialectName } from '../core/hook-event.ts';
import type { HookShape, Registration } from '../core/registration.ts';
import { hookFormats } from './hook-formats.ts';
import {
  chooseFile,
  type HookSurroundings,
  isInstalled,
  PORTABLE_HOOK,
  type RegistrableAgent,
  registrationAt,
} from './hook-places.ts';
import { makeDirectory, type Manifest, type SettingsRecord } from './manifest.ts';
import { hashOf, readSettingsText, writeAtomically } from './settings-file.ts';

/** What registering the hook with one agent would do, or why it cannot. */
export type HookPlan =
  | HookWrite
  | {
      readonly type: 'unchanged';
      readonly agent: DialectName;
      readonly path: string;
      readonly shape: HookShape;
    }
  | { readonly type: 'absent'; readonly agent: DialectName }
  /** A project has no settings of that kind. */
  | { readonly type: 'unsupported'; readonly agent: DialectName }
  | HookRefusal;

export interface HookWrite {
  readonly type: 'write';
  readonly agent: DialectName;
  readonly by: 'hooks' | 'notify';
  readonly path: string;
  readonly shape: HookShape;
  /** The file as it is; null when there is none. */
  readonly before: Uint8Array | null;
  readonly after: string;
  readonly byHand: string | null;
  readonly afterwards: string | null;
}

export interface HookRefusal {
  readonly type: 'refused';
  readonly agent: DialectName;
  readonly by: 'hooks' | 'notify';
  readonly path: string;
  readonly reason: string;
  /** What the person could add to the file instead; null: nothing short. */
  readonly byHand: string | null;
}

/**
 * Works out, without writing anything, how our hook gets into the settings of an agent.
 *
 * @param installedHook absolute path of the hook
 */
export async function planHooks(
  { agent, registration: whole }: RegistrableAgent,
  installedHook: string,
  surroundings: HookSurroundings,
  { force = false }: { readonly force?: boolean } = {},
): Promise<HookPlan> {
  const { hook, registration } = commandAt(installedHook, whole, surroundings);
  if (!force && !(await isInstalled(registration, surroundings))) return { type: 'absent', agent };
  const place = await chooseFile(registration, surroundings);
  if (place === null) return { type: 'unsupported', agent };
  const { path, shape } = place;
  const { by = 'hooks', afterwards } = registration;
  const format = hookFormats[shape];
  const byHand = format.byHand(registration, hook);
  const refused = { type: 'refused', agent, by, path, byHand } as const;
  const file = await readSettingsText(path);
  if (file.state === 'unreadable') return { ...refused, reason: file.reason };
  const edited = format.register(file.state === 'ok' ? file.text : null, registration, hook);
  if (!edited.ok) {
    return { ...refused, reason: edited.problem, byHand: edited.byHand ?? byHand };
  }
  if (!edited.changed) return { type: 'unchanged', agent, path, shape };
  // Replacing the file would go, but somebody meant it to stay as it is, or writes it by another program.
  if (file.state === 'ok' && file.readOnly) return { ...refused, reason: 'it is read-only' };
  const before = file.state === 'ok' ? file.bytes : null;
  return {
    type: 'write',
    agent,
    by,
    path,
    shape,
    before,
    after: edited.text,
    byHand,
    afterwards,
  };
}

/**
 * What an agent is to run there. A project's file is shared: it may name no path of one person.
 */
function commandAt(
  installedHook: string,
  whole: Registration,
  surroundings: HookSurroundings,
): { readonly hook: string; readonly registration: Registration } {
  const registration = registrationAt(whole, surroundings);
  const { base, home, state = join(home, '.local', 'state', 'hookbell') } = surroundings;
  if (base !== home) return { hook: PORTABLE_HOOK, registration };
  const words = ['--state', state, ...(registration.words ?? [])];
  return { hook: installedHook, registration: { ...registration, words } };
}

/** `changed`: somebody else wrote the file since it was read, so that another plan is needed. */
export type Applied =
  | { readonly state: 'written'; readonly manifest: Manifest }
  | { readonly state: 'changed' }
  | { readonly state: 'failed'; readonly refusal: HookRefusal };

/** Carries a plan out: a backup beside the file first, then the file in one step. Answers the manifest with it. */
export async function applyHooks(plan: HookWrite, manifest: Manifest): Promise<Applied> {
  const { path, shape, agent, by, before, after, byHand } = plan;
  const earlier = manifest.settings.find((record) => record.path === path) ?? null;
  const original = originalOf(plan, earlier);
  const backup = original === null ? null : `${path}.hookbell-backup`;
  try {
    const directories = await makeDirectory(dirname(path));
    if (backup !== null && original instanceof Uint8Array) await writeAtomically(backup, original);
    if (!(await holds(path, before))) return { state: 'changed' };
    await writeAtomically(path, after, { mode: 0o644 });
    const record: SettingsRecord = { path, shape, agent, backup, hash: hashOf(after) };
    return {
      state: 'written',
      manifest: withRecord(
        { ...manifest, directories: [...manifest.directories, ...directories] },
        record,
      ),
    };
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    const reason = `it cannot be written (${code})`;
    return { state: 'failed', refusal: { type: 'refused', agent, by, path, reason, byHand } };
  }
}

/**
 * What an uninstall is to give back: the file as it was before our first change, and with what others changed since.
 *
 * @returns null: no file; "kept": what the earlier backup holds
 */
function originalOf(
  { before, shape }: HookWrite,
  earlier: SettingsRecord | null,
): Uint8Array | 'kept' | null {
  if (before === null) return null;
  if (earlier !== null && earlier.hash === hashOf(before)) {
    return earlier.backup === null ? null : 'kept';
  }
  // Entries of ours are in it: from an installation that nothing is known of any more, or somebody edited it since.
  const without = hookFormats[shape].unregister(Buffer.from(before).toString('utf8'));
  if (!without.ok || !without.changed) return before;
  return without.blank && earlier?.backup === null ? null : Buffer.from(without.text);
}

/** Remembers a file that has our entries without our doing, so that they do not outlive the program. */
export function adoptHooks(
  { path, shape, agent }: Extract<HookPlan, { readonly type: 'unchanged' }>,
  manifest: Manifest,
): Manifest | null {
  if (manifest.settings.some((record) => record.path === path)) return null;
  return withRecord(manifest, { path, shape, agent, backup: null, hash: '' });
}

function withRecord(manifest: Manifest, record: SettingsRecord): Manifest {
  const others = manifest.settings.filter(({ path }) => path !== record.path);
  return { ...manifest, settings: [...others, record] };
}

async function holds(path: string, bytes: Uint8Array | null): Promise<boolean> {
  const now = await readSettingsText(path);
  if (now.state !== 'ok') return now.state === 'missing' && bytes === null;
  return bytes !== null && now.bytes.equals(bytes);
}

export type HookRemoval = 'restored' | 'removed' | 'gone' | 'left' | 'locked';

/**
 * Undoes a registration. A file that only we changed becomes what it was, to the byte; in one that was edited since,
 * our entries alone are taken out.
 */
export async function revertHooks(record: SettingsRecord): Promise<HookRemoval> {
  const { path, backup } = record;
  try {
    const removal = await takeOut(record);
    if (backup !== null && removal !== 'left') await rm(backup, { force: true });
    return removal;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return (await readSettingsText(path)).state === 'missing' ? 'gone' : 'locked';
  }
}

async function takeOut({ path, shape, backup, hash }: SettingsRecord): Promise<HookRemoval> {
  const file = await readSettingsText(path);
  if (file.state === 'missing') return 'gone';
  if (file.state === 'unreadable') return 'left';
  const isOurs = hashOf(file.bytes) === hash;
  const original = backup === null ? null : await readFile(backup).catch(() => null);
  if (isOurs && backup === null) {
    await rm(path);
    return 'restored';
  }
  if (isOurs && original !== null) {
    await writeAtomically(path, original);
    return 'restored';
  }
  const removed = hookFormats[shape].unregister(file.text);
  if (!removed.ok) return 'left';
  if (removed.changed && removed.blank && backup === null) await rm(path);
  else if (removed.changed) await writeAtomically(path, removed.text);
  return 'removed';
}
