import { relative, resolve } from 'node:path';

import { commonEvents, registered } from '../agents/support/registered-events.ts';
import { isCustomName } from '../core/agent/custom-name.ts';
import type { RegistrableAgent } from './hook-places.ts';

/**
 * An agent with hooks like those of Claude Code, in a JSON file under the key `hooks`, which hookbell does not know otherwise.
 *
 * @param name as notifications call it
 * @param settings path of the file
 * @returns null for a name that is not usable
 */
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
