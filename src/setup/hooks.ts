import { access, readFile, rm } from 'node:fs/promises';
import { constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import type { AgentName } from '../core/hook-event.ts';
import type { HookFile, Registration } from '../core/registration.ts';
import type { Manifest, SettingsRecord } from './manifest.ts';
import { makeDirectory } from './manifest.ts';
import { mergeHooks, registeredEvents, removeHooks } from './merge-hooks.ts';
import type { Merged, RegisteredHook } from './merge-hooks.ts';
import {
  defaultStyle,
  formatJson,
  hashOf,
  readSettings,
  writeAtomically,
} from './settings-file.ts';

/** An agent whose hooks can be registered. */
export interface RegistrableAgent {
  readonly agent: AgentName;
  readonly registration: Registration;
}

/** What registering the hook with one agent would do, or why it cannot. */
export type HookPlan =
  | {
      readonly type: 'write';
      readonly agent: AgentName;
      readonly path: string;
      readonly shape: HookFile['shape'];
      /** The file as it is; null when there is none. */
      readonly before: Uint8Array | null;
      readonly after: string;
      readonly afterwards: string | null;
    }
  | { readonly type: 'unchanged'; readonly agent: AgentName; readonly path: string }
  | { readonly type: 'absent'; readonly agent: AgentName }
  | {
      readonly type: 'refused';
      readonly agent: AgentName;
      readonly path: string;
      readonly reason: string;
    };

export interface HookSurroundings {
  /** The home directory, or the project's for `--scope project`. */
  readonly base: string;
  readonly home: string;
  readonly searchPath: string;
}

/** Works out, without writing anything, how our hook gets into the settings of an agent. */
export async function planHooks(
  { agent, registration }: RegistrableAgent,
  command: string,
  { base, home, searchPath }: HookSurroundings,
  { force = false }: { readonly force?: boolean } = {},
): Promise<HookPlan> {
  if (!force && !(await isInstalled(registration, home, searchPath)))
    return { type: 'absent', agent };
  const { path: relative, shape } = await chooseFile(registration, base);
  const path = join(base, relative);
  const file = await readSettings(path);
  if (file.state === 'unreadable') return { type: 'refused', agent, path, reason: file.reason };

  const settings = file.state === 'ok' ? file.document : {};
  const merged = mergeHooks(settings, shape, registration, command);
  if (!merged.ok) return { type: 'refused', agent, path, reason: merged.problem };
  if (!merged.changed) return { type: 'unchanged', agent, path };
  return {
    type: 'write',
    agent,
    path,
    shape,
    before: file.state === 'ok' ? file.bytes : null,
    after: formatJson(merged.document, file.state === 'ok' ? file.style : defaultStyle),
    afterwards: registration.afterwards,
  };
}

/** Carries a plan out: a backup beside the file first, then the file in one step. Answers the manifest with it. */
export async function applyHooks(
  plan: Extract<HookPlan, { type: 'write' }>,
  manifest: Manifest,
): Promise<Manifest> {
  const { path, shape, agent, before, after } = plan;
  const directories = await makeDirectory(dirname(path));
  const earlier = manifest.settings.find((record) => record.path === path);
  const backup = before === null ? null : `${path}.hookbell-backup`;
  // A backup that exists is the older one, from before our first change: that is what an uninstall gives back.
  if (before !== null && backup !== null && earlier === undefined) {
    await writeAtomically(backup, before);
  }
  await writeAtomically(path, after, { mode: 0o644 });
  const record: SettingsRecord = {
    path,
    shape,
    agent,
    backup: earlier === undefined ? backup : earlier.backup,
    hash: hashOf(after),
  };
  return {
    ...manifest,
    directories: [...manifest.directories, ...directories],
    settings: [...manifest.settings.filter((other) => other.path !== path), record],
  };
}

export type HookRemoval = 'restored' | 'removed' | 'gone' | 'left';

/**
 * Undoes a registration. A file that only we changed becomes what it was, to the byte; in one that was edited since,
 * our entries alone are taken out.
 */
export async function revertHooks(record: SettingsRecord): Promise<HookRemoval> {
  const file = await readSettings(record.path);
  if (file.state === 'missing') return 'gone';
  if (file.state === 'unreadable') return 'left';
  if (hashOf(file.bytes) === record.hash) {
    if (record.backup === null) await rm(record.path);
    else await writeAtomically(record.path, await readFile(record.backup));
  } else {
    const removed: Merged = removeHooks(file.document, record.shape);
    if (!removed.ok) return 'left';
    if (removed.changed) {
      const isEmpty = Object.keys(removed.document).length === 0;
      if (isEmpty && record.backup === null) await rm(record.path);
      else await writeAtomically(record.path, formatJson(removed.document, file.style));
    }
  }
  if (record.backup !== null) await rm(record.backup, { force: true });
  return hashOf(file.bytes) === record.hash ? 'restored' : 'removed';
}

/** What the settings of an agent say about our hook. */
export interface HookInspection {
  /** True when the agent is on this machine. */
  readonly installed: boolean;
  /** The settings file in use. */
  readonly path: string;
  /** Why the file cannot be read; null when it can, or when there is none. */
  readonly problem: string | null;
  readonly hooks: readonly RegisteredHook[];
}

/** Where and for which events our hook is registered with an agent; for `doctor`. */
export async function inspectHooks(
  { registration }: RegistrableAgent,
  { base, home, searchPath }: HookSurroundings,
): Promise<HookInspection> {
  const { path: relative, shape } = await chooseFile(registration, base);
  const path = join(base, relative);
  const file = await readSettings(path);
  return {
    installed: await isInstalled(registration, home, searchPath),
    path,
    problem: file.state === 'unreadable' ? file.reason : null,
    hooks: file.state === 'ok' ? registeredEvents(file.document, shape) : [],
  };
}

async function isInstalled(
  { evidence, programs }: Registration,
  home: string,
  searchPath: string,
): Promise<boolean> {
  const places = evidence.map((path) => join(home, path));
  const directories = searchPath.split(delimiter).filter((part) => part !== '');
  const candidates = programs.flatMap((program) => directories.map((part) => join(part, program)));
  for (const place of places) if (await exists(place, constants.F_OK)) return true;
  for (const candidate of candidates) if (await exists(candidate, constants.X_OK)) return true;
  return false;
}

async function chooseFile({ files }: Registration, base: string): Promise<HookFile> {
  for (const file of files) if (await exists(join(base, file.path), constants.F_OK)) return file;
  const last = files.at(-1);
  if (last === undefined) throw new Error('A registration without files');
  return last;
}

async function exists(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
