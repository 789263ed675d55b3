import { access, readFile, rm } from 'node:fs/promises';
import { constants } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

import type { DialectName } from '../core/hook-event.ts';
import type { HookShape, Registration } from '../core/registration.ts';
import type { Manifest, SettingsRecord } from './manifest.ts';
import { makeDirectory } from './manifest.ts';
import { codexNotify } from './codex-notify.ts';
import type { HookFormats, RegisteredHook } from './hook-format.ts';
import { jsonHooks } from './json-hooks.ts';
import { opencodePlugin } from './opencode-plugin.ts';
import { hashOf, readSettingsText, writeAtomically } from './settings-file.ts';

const formats: HookFormats = {
  wrapped: jsonHooks('wrapped'),
  bare: jsonHooks('bare'),
  cursor: jsonHooks('cursor'),
  copilot: jsonHooks('copilot'),
  'codex-notify': codexNotify,
  'opencode-plugin': opencodePlugin,
};

/** An agent whose hooks can be registered. */
export interface RegistrableAgent {
  readonly agent: DialectName;
  readonly registration: Registration;
}

/** What registering the hook with one agent would do, or why it cannot. */
export type HookPlan =
  | {
      readonly type: 'write';
      readonly agent: DialectName;
      readonly path: string;
      readonly shape: HookShape;
      /** The file as it is; null when there is none. */
      readonly before: Uint8Array | null;
      readonly after: string;
      readonly afterwards: string | null;
    }
  | { readonly type: 'unchanged'; readonly agent: DialectName; readonly path: string }
  | { readonly type: 'absent'; readonly agent: DialectName }
  /** A project has no settings of that kind. */
  | { readonly type: 'unsupported'; readonly agent: DialectName }
  | {
      readonly type: 'refused';
      readonly agent: DialectName;
      readonly by: 'hooks' | 'notify';
      readonly path: string;
      readonly reason: string;
      /** What the person could add instead; null when the file has to be repaired first. */
      readonly byHand: string | null;
    };

export interface HookSurroundings {
  /** The home directory, or the project's for `--scope project`. */
  readonly base: string;
  readonly home: string;
  /** Where programs keep their configuration, if not in `.config` of the home directory. */
  readonly configHome?: string;
  readonly searchPath: string;
  /** Some agents have a variable that says where their settings lie. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Works out, without writing anything, how our hook gets into the settings of an agent.
 *
 * @param hook absolute path of the hook
 */
export async function planHooks(
  { agent, registration }: RegistrableAgent,
  hook: string,
  surroundings: HookSurroundings,
  { force = false }: { readonly force?: boolean } = {},
): Promise<HookPlan> {
  if (!force && !(await isInstalled(registration, surroundings))) return { type: 'absent', agent };
  const place = await chooseFile(registration, surroundings);
  if (place === null) return { type: 'unsupported', agent };
  const { path, shape } = place;
  const file = await readSettingsText(path);
  const { by = 'hooks' } = registration;
  if (file.state === 'unreadable') {
    return { type: 'refused', agent, by, path, reason: file.reason, byHand: null };
  }
  const text = file.state === 'ok' ? file.text : null;
  const edited = formats[shape].register(text, registration, hook);
  if (!edited.ok) {
    const { problem, byHand } = edited;
    return { type: 'refused', agent, by, path, reason: problem, byHand };
  }
  if (!edited.changed) return { type: 'unchanged', agent, path };
  return {
    type: 'write',
    agent,
    path,
    shape,
    before: file.state === 'ok' ? file.bytes : null,
    after: edited.text,
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
  const file = await readSettingsText(record.path);
  if (file.state === 'missing') return 'gone';
  if (file.state === 'unreadable') return 'left';
  if (hashOf(file.bytes) === record.hash) {
    if (record.backup === null) await rm(record.path);
    else await writeAtomically(record.path, await readFile(record.backup));
  } else {
    const removed = formats[record.shape].unregister(file.text);
    if (!removed.ok) return 'left';
    if (removed.changed) {
      if (removed.blank && record.backup === null) await rm(record.path);
      else await writeAtomically(record.path, removed.text);
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
  surroundings: HookSurroundings,
): Promise<HookInspection> {
  const place = await chooseFile(registration, surroundings);
  if (place === null) throw new Error('A registration without files');
  const { path, shape } = place;
  const file = await readSettingsText(path);
  const listed = file.state === 'ok' ? formats[shape].list(file.text) : null;
  return {
    installed: await isInstalled(registration, surroundings),
    path,
    problem:
      file.state === 'unreadable' ? file.reason : listed?.ok === false ? listed.problem : null,
    hooks: listed?.ok === true ? listed.hooks : [],
  };
}

async function isInstalled(
  registration: Registration,
  surroundings: HookSurroundings,
): Promise<boolean> {
  const { evidence, programs } = registration;
  const { home, searchPath } = surroundings;
  const places = evidence.map((path) => placeOf(path, home, registration, surroundings));
  const directories = searchPath.split(delimiter).filter((part) => part !== '');
  const candidates = programs.flatMap((program) => directories.map((part) => join(part, program)));
  for (const place of places) if (await exists(place, constants.F_OK)) return true;
  for (const candidate of candidates) if (await exists(candidate, constants.X_OK)) return true;
  return false;
}

async function chooseFile(
  registration: Registration,
  surroundings: HookSurroundings,
): Promise<{ readonly path: string; readonly shape: HookShape } | null> {
  const { base, home } = surroundings;
  const candidates = registration.files.flatMap(({ path, projectPath = path, shape }) => {
    const relative = base === home ? path : projectPath;
    if (relative === null) return [];
    return [{ path: placeOf(relative, base, registration, surroundings), shape }];
  });
  for (const file of candidates) if (await exists(file.path, constants.F_OK)) return file;
  return candidates.at(-1) ?? null;
}

/** The settings of the user may lie elsewhere than below the home directory; those of a project never do. */
function placeOf(
  path: string,
  base: string,
  { movedBy }: Registration,
  { home, configHome, env = {} }: HookSurroundings,
): string {
  if (base !== home) return join(base, path);
  const moved = movedBy === undefined ? undefined : env[movedBy.variable];
  if (movedBy !== undefined && moved !== undefined && isAbsolute(moved)) {
    const below = withinDirectory(path, movedBy.directory);
    if (below !== null) return join(moved, below);
  }
  const inConfig = configHome === undefined ? null : withinDirectory(path, '.config');
  return configHome === undefined || inConfig === null
    ? join(base, path)
    : join(configHome, inConfig);
}

/** What follows the directory in a path; null for a path elsewhere. */
function withinDirectory(path: string, directory: string): string | null {
  if (path === directory) return '';
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null;
}

async function exists(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
