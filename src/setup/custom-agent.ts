import { basename, relative, resolve } from 'node:path';

import { commonEvents, registered } from '../agents/support/registered-events.ts';
import { isCustomName } from '../core/agent/custom-name.ts';
import { hookFormats } from './hook-formats.ts';
import type { RegistrableAgent } from './hook-places.ts';
import type { SettingsRecord } from './manifest.ts';
import { readSettingsText } from './settings-file.ts';

/** Has hooks like Claude Code's, in a JSON file below `hooks`. Null: the name is not usable. */
export function customAgent(name: string, settings: string, home: string): RegistrableAgent | null {
  if (!isCustomName(name)) return null;
  const events = [...commonEvents, 'PermissionRequest', 'PostToolUseFailure', 'StopFailure'];
  return {
    agent: 'unknown',
    called: name,
    registration: {
      evidence: [],
      programs: [],
      // As it is, wherever the directory of configurations is.
      files: [{ path: `./${relative(home, resolve(settings))}`, shape: 'wrapped' }],
      events: registered(events),
      words: ['--agent', name],
      afterwards: `Restart ${name}`,
    },
  };
}

/** The agents that were registered so, by the names in their files; a file without our hooks any more keeps its own. */
export async function customAgentsIn(
  settings: readonly SettingsRecord[],
  home: string,
): Promise<readonly RegistrableAgent[]> {
  const found: RegistrableAgent[] = [];
  for (const { path } of settings.filter(({ agent }) => agent === 'unknown')) {
    const file = await readSettingsText(path);
    const listed = file.state === 'ok' ? hookFormats.wrapped.list(file.text) : null;
    const command = listed?.ok === true ? listed.hooks[0]?.command : undefined;
    const [, quoted, plain] = / --agent (?:'([^']+)'|(\S+))/.exec(command ?? '') ?? [];
    const name = quoted ?? plain ?? basename(path);
    const agent = customAgent(name, path, home);
    if (agent !== null) found.push(agent);
  }
  return found;
}
