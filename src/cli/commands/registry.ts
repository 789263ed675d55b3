import type { DefineCommand } from '../context.ts';
import { loadService } from './service.ts';

/**
 * Loads a command. It receives the words of the command line after its name, so that a large command loads only the called
 * subcommand.
 */
type Load = (words: readonly string[]) => Promise<DefineCommand>;

/** Every command by the heading of `--help` and the words that select it, in the order in which `--help` lists them. */
const commandFiles: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Everyday commands:': {
    sessions: async () => (await import('./sessions.ts')).defineSessions,
    ack: async () => (await import('./ack.ts')).defineAck,
    snooze: async () => (await import('./ack.ts')).defineSnooze,
    reply: async () => (await import('./reply.ts')).defineReply,
    'allow deny answer': async () => (await import('./answer.ts')).defineAnswer,
    mute: async () => (await import('./mute.ts')).defineMute,
    open: async () => (await import('./open.ts')).defineOpen,
    notify: async () => (await import('./notify.ts')).defineNotify,
    run: async () => (await import('../callers/run-command.ts')).defineRun,
    line: async () => (await import('../callers/line.ts')).defineLine,
    history: async () => (await import('./history.ts')).defineHistory,
    explain: async () => (await import('./explain.ts')).defineExplain,
    waiting: async () => (await import('./waiting.ts')).defineWaiting,
    rules: async () => (await import('../rules/rules.ts')).defineRules,
    status: async () => (await import('./status.ts')).defineStatus,
  },
  'Setup:': {
    'shell-init': async () => (await import('../callers/shell-init.ts')).defineShellInit,
    mcp: async () => (await import('../callers/mcp.ts')).defineMcp,
    channel: async () => (await import('./channel.ts')).defineChannelCommand,
    init: async () => (await import('./init.ts')).defineInit,
    install: async () => (await import('./install.ts')).defineInstall,
    upgrade: async () => (await import('./upgrade.ts')).defineUpgrade,
    uninstall: async () => (await import('./uninstall.ts')).defineUninstall,
    config: async () => (await import('./config.ts')).defineConfig,
    project: async () => (await import('./project.ts')).defineProject,
    doctor: async () => (await import('./doctor.ts')).defineDoctor,
    'completion complete': async () => (await import('./completion.ts')).defineCompletion,
    man: async () => (await import('./completion.ts')).defineMan,
  },
  'Try it out:': {
    demo: async () => (await import('./demo.ts')).defineDemo,
    test: async () => (await import('./notify.ts')).defineTest,
    trigger: async () => (await import('./notify.ts')).defineTrigger,
    route: async () => (await import('./route.ts')).defineRoute,
    hook: async () => (await import('./hook.ts')).defineHook,
  },
  'Daemon:': {
    'start stop restart daemon': async () => (await import('./daemon.ts')).defineDaemon,
    logs: async () => (await import('./logs.ts')).defineLogs,
    queue: async () => (await import('./queue.ts')).defineQueue,
  },
  'Other machines:': {
    remote: async () => (await import('./remote.ts')).defineRemoteMachines,
  },
  'Teams:': {
    hub: async () => (await import('../hub/hub.ts')).defineHub,
    join: async () => (await import('../hub/join.ts')).defineJoin,
    me: async () => (await import('../me/me.ts')).defineMe,
  },
  'Agent service:': {
    service: loadService,
  },
};

/** They need all the others. */
const describesAll = ['completion', 'complete', 'man'];

/**
 * Loads the command that these words of the command line name, otherwise all commands. Each command loads its own
 * dependencies, so `hookbell status` does not wait for the packages of `install`.
 */
export async function loadCommands(words: readonly string[]): Promise<readonly DefineCommand[]> {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const name = words[at] ?? '';
  const files = Object.entries(commandFiles).flatMap(([group, loads]) =>
    Object.entries(loads).map(([names, load]) => ({ group, names: names.split(' '), load })),
  );
  const named = files.filter(({ names }) => names.includes(name));
  const isAlone = named.length > 0 && !describesAll.includes(name);
  const rest = isAlone ? words.slice(at + 1) : [];
  return Promise.all(
    (isAlone ? named : files).map(async ({ group, load }): Promise<DefineCommand> => {
      const define = await load(rest);
      return (program, run) => define(program.commandsGroup(group), run);
    }),
  );
}
