import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

import type { Registration } from '../core/agent/registration.ts';
import { memberOf, type RegisteredHook } from './hook-layout.ts';
import { type HookSurroundings, placesOf } from './hook-places.ts';
import { type JsonNode, readJsonTrees } from './json-tree.ts';
import { registeredHooks } from './merge-hooks.ts';

/** Our plugin as an agent runs it. */
export interface HookPlugin {
  /** Its name in the agent: `hookbell@` and the marketplace. */
  readonly id: string;
  /** Its hook file. */
  readonly path: string;
  readonly hooks: readonly RegisteredHook[];
}

const NAME = 'hookbell';

/**
 * An enabled plugin with our hook: Claude Code and droid store both in the same format
 * (https://code.claude.com/docs/en/plugins, https://docs.factory.ai/harness/plugins).
 */
export async function findHookPlugin(
  registration: Pick<Registration, 'plugins' | 'movedBy'>,
  surroundings: HookSurroundings,
  project: string | null,
): Promise<HookPlugin | null> {
  const { plugins } = registration;
  if (plugins === undefined) return null;
  const at = (path: string) => placesOf(path, registration, surroundings, project);
  const settings = await readJsonTrees(plugins.settings.flatMap(at));
  const switches = settings.map(({ root }) => root);
  for (const { root } of await readJsonTrees(at(plugins.installed))) {
    const found = await pluginIn(root, switches, project);
    if (found !== null) return found;
  }
  return null;
}

async function pluginIn(
  installed: JsonNode,
  switches: readonly JsonNode[],
  project: string | null,
): Promise<HookPlugin | null> {
  const list = memberOf(installed, 'plugins')?.value;
  if (list?.type !== 'object') return null;
  for (const { key: id, value } of list.entries) {
    if (id === null || id.split('@', 1)[0] !== NAME || !isOn(id, switches)) continue;
    for (const record of value.type === 'array' ? value.entries : [{ value }]) {
      const place = textIn(record.value, 'installPath');
      const owner = textIn(record.value, 'projectPath');
      if (place === null || !isAbsolute(place) || (owner !== null && owner !== project)) continue;
      const path = join(place, 'hooks', 'hooks.json');
      const text = await readFile(path, 'utf8').catch(() => '');
      const hooks = registeredHooks(text, 'wrapped');
      if (hooks.length > 0) return { id, path, hooks };
    }
  }
  return null;
}

/** Whether a plugin is enabled: the last settings file that names it decides. */
function isOn(id: string, switches: readonly JsonNode[]): boolean {
  const switchValues = switches.flatMap((settings) => {
    const plugins = memberOf(settings, 'enabledPlugins')?.value;
    const value = plugins === undefined ? null : (memberOf(plugins, id)?.value ?? null);
    return value?.type === 'scalar' ? [value.value] : [];
  });
  return switchValues.at(-1) === true;
}

function textIn(node: JsonNode, key: string): string | null {
  const value = memberOf(node, key)?.value;
  return value?.type === 'scalar' && typeof value.value === 'string' ? value.value : null;
}
