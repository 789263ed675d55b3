import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { displayLine } from '../../src/text/sanitize.ts';
import { knownNotifierIn, quoted } from './notifiers.ts';

/** The user's own settings; those of a repository can name anything, and are never read. */
const FILE = '.claude/settings.json';

const Settings = z.looseObject({
  hooks: z
    .record(
      z.string(),
      z.array(z.looseObject({ hooks: z.array(z.looseObject({ command: z.string().optional() })) })),
    )
    .catch({}),
});

/** A line that Claude Code runs. */
interface RegisteredHook {
  readonly command: string;
  readonly events: readonly string[];
}

/**
 * Lines for people about the hooks that Claude Code runs for the user, except that of hookbell: which are measured as a known
 * tool, and how to name the others. None of them is run for being there.
 */
export function registeredHookLines(home: string): readonly string[] {
  const hooks = registeredHooks(home);
  if (hooks.length === 0) return [];
  return [
    `Hooks in ~/${FILE}, which run only if you name them:`,
    ...hooks.map(({ command, events }) => {
      const tool = knownNotifierIn(command);
      const how = tool === null ? `--command ${quoted(`NAME=${command}`)}` : `measured as ${tool}`;
      return `  ${displayLine(events.join(', '))}: ${displayLine(how)}`;
    }),
  ];
}

function registeredHooks(home: string): readonly RegisteredHook[] {
  const events = new Map<string, string[]>();
  for (const [event, entries] of Object.entries(readHooks(join(home, FILE)))) {
    for (const { command } of entries.flatMap(({ hooks }) => hooks)) {
      if (command === undefined || /\bhookbell\b/.test(command)) continue;
      events.set(command, [...(events.get(command) ?? []), event]);
    }
  }
  return [...events].map(([command, of]) => ({ command, events: [...new Set(of)] }));
}

function readHooks(path: string): z.output<typeof Settings>['hooks'] {
  try {
    return Settings.parse(JSON.parse(readFileSync(path, 'utf8'))).hooks;
  } catch {
    return {};
  }
}
