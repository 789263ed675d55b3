import type { Registration } from '../core/agent/registration.ts';
import { hookFormats } from './hook-formats.ts';
import { memberOf, type RegisteredHook } from './hook-layout.ts';
import {
  chooseFile,
  type HookSurroundings,
  isInstalled,
  placesOf,
  type RegistrableAgent,
} from './hook-places.ts';
import { readJsonTrees } from './json-tree.ts';
import { findHookPlugin } from './plugin-hooks.ts';
import { readSettingsText } from './settings-file.ts';

/** The state of our hook in the settings of an agent. */
export interface HookInspection {
  /** True if the agent is installed. */
  readonly installed: boolean;
  /** The settings file in use. */
  readonly path: string;
  /** Why the file cannot be read; null if it can, or is missing. */
  readonly problem: string | null;
  readonly hooks: readonly RegisteredHook[];
  /** Registrations of the hook that waits for answers. */
  readonly asks: readonly RegisteredHook[];
  /** The settings that disable all hooks of the agent; null: none. */
  readonly off: { readonly path: string; readonly key: string } | null;
  /** Other places that register our hook: the agent runs the hooks of all of them. */
  readonly elsewhere: readonly HooksElsewhere[];
}

export interface HooksElsewhere {
  readonly by: 'project' | 'plugin';
  readonly path: string;
  readonly hooks: readonly RegisteredHook[];
  /** The name of the plugin; null for a project. */
  readonly plugin: string | null;
}

/**
 * Returns where and for which events our hook is registered with an agent; for `doctor`.
 *
 * @param project a directory whose own settings also apply; null: none
 */
export async function inspectHooks(
  agent: RegistrableAgent,
  surroundings: HookSurroundings,
  project: string | null = null,
): Promise<HookInspection> {
  const { registration } = agent;
  const { path, hooks, asks, problem } = await readHooks(agent, surroundings);
  const elsewhere: HooksElsewhere[] = [];
  if (project !== null && project !== surroundings.home) {
    const ofProject = await readHooks(agent, { ...surroundings, base: project });
    if (ofProject.hooks.length > 0) elsewhere.push({ by: 'project', ...ofProject, plugin: null });
  }
  const plugin = await findHookPlugin(registration, surroundings, project);
  if (plugin !== null) elsewhere.push({ by: 'plugin', ...plugin, plugin: plugin.id });
  return {
    installed: await isInstalled(registration, surroundings),
    path,
    problem,
    hooks,
    asks,
    off: await findSwitch(registration, surroundings, project),
    elsewhere,
  };
}

async function findSwitch(
  registration: Registration,
  surroundings: HookSurroundings,
  project: string | null,
): Promise<HookInspection['off']> {
  const { offBy } = registration;
  if (offBy === undefined) return null;
  const { files, key } = offBy;
  const paths = files.flatMap((path) => placesOf(path, registration, surroundings, project));
  const found = (await readJsonTrees(paths)).find(({ root }) => {
    const value = memberOf(root, key)?.value;
    return value?.type === 'scalar' && value.value === true;
  });
  return found === undefined ? null : { path: found.path, key };
}

async function readHooks(
  { registration }: RegistrableAgent,
  surroundings: HookSurroundings,
): Promise<Pick<HookInspection, 'path' | 'problem' | 'hooks' | 'asks'>> {
  const place = await chooseFile(registration, surroundings);
  if (place === null) return { path: '', problem: null, hooks: [], asks: [] };
  const { path, shape } = place;
  const file = await readSettingsText(path);
  if (file.state === 'missing') return { path, problem: null, hooks: [], asks: [] };
  if (file.state === 'unreadable') return { path, problem: file.reason, hooks: [], asks: [] };
  const listed = hookFormats[shape].list(file.text);
  return listed.ok
    ? { path, problem: null, hooks: listed.hooks, asks: listed.asks }
    : { path, problem: listed.problem, hooks: [], asks: [] };
}
