import type { DefineCommand } from '../context.ts';
import { loadService } from './service.ts';

/** The headings of `--help`, in their order. */
type Group =
  | 'Everyday commands:'
  | 'Setup:'
  | 'Try it out:'
  | 'Daemon:'
  | 'Other machines:'
  | 'Teams:'
  | 'Agent service:';

/** The file of a command, and the first words that select it. */
interface CommandFile {
  readonly names: readonly string[];
  readonly group: Group;
  /** True where the command describes all the others. */
  readonly needsAll?: boolean;
  /** Receives the words of the command line, so that a large command loads only the called subcommand. */
  readonly load: (words: readonly string[]) => Promise<DefineCommand>;
}

/** Every command, in the order in which `--help` lists them. */
const commandFiles: readonly CommandFile[] = [
  {
    names: ['sessions'],
    group: 'Everyday commands:',
    load: async () => (await import('./sessions.ts')).defineSessions,
  },
  {
    names: ['ack'],
    group: 'Everyday commands:',
    load: async () => (await import('./ack.ts')).defineAck,
  },
  {
    names: ['snooze'],
    group: 'Everyday commands:',
    load: async () => (await import('./ack.ts')).defineSnooze,
  },
  {
    names: ['reply'],
    group: 'Everyday commands:',
    load: async () => (await import('./reply.ts')).defineReply,
  },
  {
    names: ['allow', 'deny', 'answer'],
    group: 'Everyday commands:',
    load: async () => (await import('./answer.ts')).defineAnswer,
  },
  {
    names: ['mute'],
    group: 'Everyday commands:',
    load: async () => (await import('./mute.ts')).defineMute,
  },
  {
    names: ['open'],
    group: 'Everyday commands:',
    load: async () => (await import('./open.ts')).defineOpen,
  },
  {
    names: ['history'],
    group: 'Everyday commands:',
    load: async () => (await import('./history.ts')).defineHistory,
  },
  {
    names: ['explain'],
    group: 'Everyday commands:',
    load: async () => (await import('./explain.ts')).defineExplain,
  },
  {
    names: ['waiting'],
    group: 'Everyday commands:',
    load: async () => (await import('./waiting.ts')).defineWaiting,
  },
  {
    names: ['status'],
    group: 'Everyday commands:',
    load: async () => (await import('./status.ts')).defineStatus,
  },
  {
    names: ['channel'],
    group: 'Setup:',
    load: async () => (await import('./channel.ts')).defineChannelCommand,
  },
  { names: ['init'], group: 'Setup:', load: async () => (await import('./init.ts')).defineInit },
  {
    names: ['install'],
    group: 'Setup:',
    load: async () => (await import('./install.ts')).defineInstall,
  },
  {
    names: ['upgrade'],
    group: 'Setup:',
    load: async () => (await import('./upgrade.ts')).defineUpgrade,
  },
  {
    names: ['uninstall'],
    group: 'Setup:',
    load: async () => (await import('./uninstall.ts')).defineUninstall,
  },
  {
    names: ['config'],
    group: 'Setup:',
    load: async () => (await import('./config.ts')).defineConfig,
  },
  {
    names: ['project'],
    group: 'Setup:',
    load: async () => (await import('./project.ts')).defineProject,
  },
  {
    names: ['doctor'],
    group: 'Setup:',
    load: async () => (await import('./doctor.ts')).defineDoctor,
  },
  {
    names: ['completion', 'complete'],
    group: 'Setup:',
    needsAll: true,
    load: async () => (await import('./completion.ts')).defineCompletion,
  },
  {
    names: ['man'],
    group: 'Setup:',
    needsAll: true,
    load: async () => (await import('./completion.ts')).defineMan,
  },
  {
    names: ['demo'],
    group: 'Try it out:',
    load: async () => (await import('./demo.ts')).defineDemo,
  },
  {
    names: ['test'],
    group: 'Try it out:',
    load: async () => (await import('./trigger.ts')).defineTest,
  },
  {
    names: ['trigger'],
    group: 'Try it out:',
    load: async () => (await import('./trigger.ts')).defineTrigger,
  },
  {
    names: ['route'],
    group: 'Try it out:',
    load: async () => (await import('./route.ts')).defineRoute,
  },
  {
    names: ['hook'],
    group: 'Try it out:',
    load: async () => (await import('./hook.ts')).defineHook,
  },
  {
    names: ['start', 'stop', 'restart', 'daemon'],
    group: 'Daemon:',
    load: async () => (await import('./daemon.ts')).defineDaemon,
  },
  {
    names: ['logs'],
    group: 'Daemon:',
    load: async () => (await import('./logs.ts')).defineLogs,
  },
  {
    names: ['queue'],
    group: 'Daemon:',
    load: async () => (await import('./queue.ts')).defineQueue,
  },
  {
    names: ['remote'],
    group: 'Other machines:',
    load: async () => (await import('./remote.ts')).defineRemoteMachines,
  },
  {
    names: ['hub'],
    group: 'Teams:',
    load: async () => (await import('../hub/hub.ts')).defineHub,
  },
  {
    names: ['join'],
    group: 'Teams:',
    load: async () => (await import('../hub/join.ts')).defineJoin,
  },
  {
    names: ['me'],
    group: 'Teams:',
    load: async () => (await import('../me/me.ts')).defineMe,
  },
  { names: ['service'], group: 'Agent service:', load: loadService },
];

/**
 * Loads the command that these words of the command line name, otherwise all commands. Each command loads its own
 * dependencies, so `hookbell status` does not wait for the packages of `install`.
 */
export async function loadCommands(words: readonly string[]): Promise<readonly DefineCommand[]> {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const name = words[at];
  const named = commandFiles.find(({ names }) => name !== undefined && names.includes(name));
  const isAlone = named !== undefined && named.needsAll !== true;
  const wanted = isAlone ? [named] : commandFiles;
  const rest = isAlone ? words.slice(at + 1) : [];
  return Promise.all(wanted.map((file) => inGroup(file, rest)));
}

async function inGroup(
  { group, load }: CommandFile,
  words: readonly string[],
): Promise<DefineCommand> {
  const define = await load(words);
  return (program, run) => define(program.commandsGroup(group), run);
}
