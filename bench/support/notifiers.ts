import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A tool that notifies of an agent's events, as a hook of Claude Code runs it. */
export interface Notifier {
  readonly name: string;
  /** The shell line that it registers for an event; null if it does not register it, or not of this type. */
  line(event: string, notificationType?: string): string | null;
}

/** A public tool: where it is installed by its documentation, and what it registers there. */
interface KnownNotifier {
  readonly name: string;
  /** Where its documentation says so. */
  readonly source: string;
  /** The program of its hook, below the home directory. */
  readonly file: string;
  /** What follows the program, for each event that it registers by default. */
  readonly events: Readonly<Record<string, string>>;
  /** The only type of notifications that it registers, if it does not register all. */
  readonly onlyType?: string;
}

const known: readonly KnownNotifier[] = [
  {
    name: 'code-notify',
    source: 'https://github.com/mylee04/code-notify#how-it-works',
    file: '.code-notify/lib/code-notify/core/notifier.sh',
    events: { Stop: 'stop claude', Notification: 'notification claude' },
    onlyType: 'idle_prompt',
  },
  {
    name: 'agentbell',
    source: 'https://github.com/MoodTechBasti/agentbell#agents-what-gets-wired-up',
    file: '.local/bin/agentbell',
    events: {
      UserPromptSubmit: 'hook started --agent claude --silent',
      Stop: 'hook run_completed --agent claude --min-duration 60',
      StopFailure: 'hook run_failed --agent claude',
      Notification: 'hook input_required --agent claude',
    },
    onlyType: 'agent_needs_input',
  },
  {
    name: 'peon-ping',
    source: 'https://github.com/PeonPing/peon-ping#how-it-works',
    file: '.claude/hooks/peon-ping/peon.sh',
    events: {
      SessionStart: '',
      SessionEnd: '',
      SubagentStart: '',
      Stop: '',
      Notification: '',
      PermissionRequest: '',
      PostToolUseFailure: '',
      PreCompact: '',
    },
  },
  {
    name: 'CCNotify',
    source: 'https://github.com/dazuiba/CCNotify#3-configure-claude-hooks',
    file: '.claude/ccnotify/ccnotify.py',
    events: {
      UserPromptSubmit: 'UserPromptSubmit',
      Stop: 'Stop',
      Notification: 'Notification',
    },
  },
];

/** The public tools that are installed below a home directory. */
export function installedNotifiers(home: string): readonly Notifier[] {
  return known
    .map((tool) => ({ ...tool, path: join(home, tool.file) }))
    .filter(({ path }) => existsSync(path))
    .map(({ name, events, onlyType, path }) => ({
      name,
      line(event, notificationType = onlyType) {
        const words = events[event];
        const isOther =
          event === 'Notification' && (onlyType ?? notificationType) !== notificationType;
        return words === undefined || isOther ? null : `${quoted(path)} ${words}`.trimEnd();
      },
    }));
}

/** The name of the public tool whose program a registered line runs; null: none of them. */
export function knownNotifierIn(command: string): string | null {
  return known.find(({ file }) => command.includes(file))?.name ?? null;
}

/** Lines for people: the public tools that are looked for, and where. */
export function knownNotifiers(): readonly string[] {
  return known.map(({ name, file, source }) => `${name}: ~/${file} (${source})`);
}

/**
 * A tool that is not known, from "NAME=COMMAND": the command gets every event, and `{event}` in it is the name of the event.
 *
 * @returns null for a text without a name or a command
 */
export function parseNotifier(text: string): Notifier | null {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0)).trim();
  const command = text.slice(at + 1).trim();
  if (name === '' || command === '') return null;
  return { name, line: (event) => command.replaceAll('{event}', event) };
}

/** A word for a shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
