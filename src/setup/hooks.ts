import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { sha256 } from '../platform/crypto.ts';
import { writeAtomically } from '../platform/replace-file.ts';
import { errorCode } from '../platform/errors.ts';
import type { DialectName } from '../core/hook-event.ts';
import { type HookShape, moduleShapes, type Registration } from '../core/agent/registration.ts';
import { hookFormats } from './hook-formats.ts';
import type { Answers } from './hook-layout.ts';
import {
  chooseFile,
  type HookSurroundings,
  isInstalled,
  PORTABLE_HOOK,
  type RegistrableAgent,
  registrationAt,
} from './hook-places.ts';
import { makeDirectory, type Manifest, type SettingsRecord } from './manifest.ts';
import { readSettingsText } from './settings-file.ts';
import { whyNoWindowsCommand, windowsWords } from '../text/windows-command.ts';

/** Planned changes to register the hook with one agent, or the reason why it is impossible. */
export type HookPlan =
  | HookWrite
  | ({ readonly type: 'unchanged' } & Pick<HookWrite, 'agent' | 'path' | 'shape'>)
  | { readonly type: 'absent'; readonly agent: DialectName }
  /** A project has no settings of that kind. */
  | { readonly type: 'unsupported'; readonly agent: DialectName }
  | HookRefusal;

interface HookTarget {
  readonly agent: DialectName;
  readonly by: 'hooks' | 'notify';
  readonly path: string;
  /** What the user could add to the file instead; null: more than a line. */
  readonly byHand: string | null;
}

export interface HookWrite extends HookTarget {
  readonly type: 'write';
  readonly shape: HookShape;
  /** Current content of the file; null if missing. */
  readonly before: Uint8Array | null;
  readonly after: string;
  readonly afterwards: string | null;
}

export interface HookRefusal extends HookTarget {
  readonly type: 'refused';
  readonly reason: string;
}

/** Plans how to add our hook, whose path is absolute, without writing anything. */
export async function planHooks(
  { agent, registration: whole }: RegistrableAgent,
  installedHook: string,
  surroundings: HookSurroundings,
  { force = false, answers }: { force?: boolean; answers?: Answers | undefined } = {},
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
  const unfit = whyUnfit(registration, shape, hook);
  if (unfit !== null) return { ...refused, reason: unfit, byHand: null };
  const file = await readSettingsText(path);
  if (file.state === 'unreadable') return { ...refused, reason: file.reason };
  const text = file.state === 'ok' ? file.text : null;
  const registered = format.register(text, registration, hook);
  const answered =
    registered.ok && answers !== undefined
      ? format.answers?.(registered.text, registration, answers)
      : undefined;
  const edited = answered ?? registered;
  if (!edited.ok) {
    return { ...refused, reason: edited.problem, byHand: edited.byHand ?? byHand };
  }
  const isChanged = answered === undefined ? edited.changed : edited.text !== (text ?? '');
  if (!isChanged) return { type: 'unchanged', agent, path, shape };
  // Replacing the file would succeed, but it is read-only on purpose, or another program writes it.
  if (file.state === 'ok' && file.readOnly) return { ...refused, reason: 'it is read-only' };
  const before = file.state === 'ok' ? file.bytes : null;
  return { ...refused, type: 'write', shape, before, after: edited.text, afterwards };
}

/** Why Windows would not run the hook; null if it does. */
function whyUnfit(
  { node, windows = 'either-shell', words = [] }: Registration,
  shape: HookShape,
  hook: string,
): string | null {
  if (node === undefined) return null;
  const isList = /^mcp-|^codex-notify$/.test(shape) || moduleShapes.some((one) => one === shape);
  return whyNoWindowsCommand(isList ? 'exec' : windows, windowsWords(node, hook, words));
}

/** What an agent runs. A project's file is shared, so it must not contain paths of one user. */
function commandAt(
  installedHook: string,
  whole: Registration,
  surroundings: HookSurroundings,
): { readonly hook: string; readonly registration: Registration } {
  const registration = registrationAt(whole, surroundings);
  const { base, home, state = join(home, '.local', 'state', 'hookbell') } = surroundings;
  if (base !== home) return { hook: PORTABLE_HOOK, registration };
  const words = ['--state', state, ...(registration.words ?? [])];
  const { node } = surroundings;
  const here = node === undefined ? { words } : { words, node };
  return { hook: installedHook, registration: { ...registration, ...here } };
}

/** `changed`: another program wrote the file after it was read, so that a new plan is needed. */
export type Applied =
  | { readonly state: 'written'; readonly manifest: Manifest }
  | { readonly state: 'changed' }
  | { readonly state: 'failed'; readonly refusal: HookRefusal };

/** Applies a plan: first a backup next to the file, then the file atomically. Returns the manifest with it. */
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
    const record: SettingsRecord = { path, shape, agent, backup, hash: sha256(after) };
    const withDirectories = [...manifest.directories, ...directories];
    const next = withRecord({ ...manifest, directories: withDirectories }, record);
    return { state: 'written', manifest: next };
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    const reason = `it cannot be written (${code})`;
    return { state: 'failed', refusal: { type: 'refused', agent, by, path, reason, byHand } };
  }
}

/** The file before our first change, with later ones of others; "kept": the earlier backup. */
function originalOf(
  { before, shape }: HookWrite,
  earlier: SettingsRecord | null,
): Uint8Array | 'kept' | null {
  if (before === null) return null;
  if (earlier !== null && earlier.hash === sha256(before)) {
    return earlier.backup === null ? null : 'kept';
  }
  // It contains entries of ours: from an unrecorded installation, or because it was edited afterwards.
  const without = hookFormats[shape].unregister(Buffer.from(before).toString('utf8'));
  if (!without.ok || !without.changed) return before;
  return without.blank && earlier?.backup === null ? null : Buffer.from(without.text);
}

/** Records a file that already contains our entries, so that uninstalling removes them. */
export function adoptHooks(
  { path, shape, agent }: Extract<HookPlan, { readonly type: 'unchanged' }>,
  manifest: Manifest,
): Manifest | null {
  if (manifest.settings.some((one) => one.path === path && one.shape === shape)) return null;
  return withRecord(manifest, { path, shape, agent, backup: null, hash: '' });
}

function withRecord(manifest: Manifest, record: SettingsRecord): Manifest {
  const { path, shape, hash } = record;
  const others = manifest.settings.filter((one) => one.path !== path || one.shape !== shape);
  // Hooks and an MCP server of ours may be in one file: what it is now is known of both.
  const settings = others.map((one) => (one.path === path && hash !== '' ? { ...one, hash } : one));
  return { ...manifest, settings: [...settings, record] };
}

async function holds(path: string, bytes: Uint8Array | null): Promise<boolean> {
  const now = await readSettingsText(path);
  if (now.state !== 'ok') return now.state === 'missing' && bytes === null;
  return bytes !== null && now.bytes.equals(bytes);
}

export type HookRemoval = 'restored' | 'removed' | 'gone' | 'left' | 'locked';

/** A file that only we changed is restored to the byte; from others, our entries are removed. */
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
  const isOurs = sha256(file.bytes) === hash;
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
