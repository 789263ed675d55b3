import type { DefineCommand } from '../define-command.ts';

/** The file of a command, and the first words that call for it. */
interface CommandFile {
  readonly names: readonly string[];
  /** It tells of all the others. */
  readonly needsAll?: boolean;
  readonly load: () => Promise<DefineCommand>;
}

/** Every command, in the order in which `--help` lists them. */
const commandFiles: readonly CommandFile[] = [
  { names: ['install'], load: async () => (await import('./install.ts')).defineInstall },
  { names: ['init'], load: async () => (await import('./init.ts')).defineInit },
  { names: ['uninstall'], load: async () => (await import('./uninstall.ts')).defineUninstall },
  {
    names: ['daemon', 'start', 'stop', 'restart'],
    load: async () => (await import('./daemon.ts')).defineDaemon,
  },
  { names: ['status'], load: async () => (await import('./status.ts')).defineStatus },
  { names: ['metrics'], load: async () => (await import('./metrics.ts')).defineMetrics },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).defineDoctor },
  { names: ['sessions'], load: async () => (await import('./sessions.ts')).defineSessions },
  { names: ['history'], load: async () => (await import('./history.ts')).defineHistory },
  { names: ['explain'], load: async () => (await import('./explain.ts')).defineExplain },
  { names: ['ack'], load: async () => (await import('./ack.ts')).defineAck },
  {
    names: ['mute', 'mutes', 'unmute'],
    load: async () => (await import('./mute.ts')).defineMute,
  },
  { names: ['pair'], load: async () => (await import('./pair.ts')).definePair },
  { names: ['listen'], load: async () => (await import('./listen.ts')).defineListen },
  { names: ['queue'], load: async () => (await import('./queue.ts')).defineQueue },
  { names: ['test'], load: async () => (await import('./test.ts')).defineTest },
  { names: ['trigger'], load: async () => (await import('./trigger.ts')).defineTrigger },
  { names: ['hook'], load: async () => (await import('./hook.ts')).defineHook },
  { names: ['config'], load: async () => (await import('./config.ts')).defineConfig },
  { names: ['project'], load: async () => (await import('./project.ts')).defineProject },
  { names: ['replay'], load: async () => (await import('./replay.ts')).defineReplay },
  { names: ['route'], load: async () => (await import('./route.ts')).defineRoute },
  { names: ['reply'], load: async () => (await import('./reply.ts')).defineReply },
  { names: ['session'], load: async () => (await import('./session.ts')).defineSession },
  { names: ['message'], load: async () => (await import('./message.ts')).defineMessage },
  { names: ['computers'], load: async () => (await import('./computers.ts')).defineComputers },
  { names: ['usage'], load: async () => (await import('./usage.ts')).defineUsage },
  { names: ['readiness'], load: async () => (await import('./readiness.ts')).defineReadiness },
  { names: ['controls'], load: async () => (await import('./controls.ts')).defineControls },
  { names: ['budget'], load: async () => (await import('./budget.ts')).defineBudget },
  { names: ['digest'], load: async () => (await import('./digest.ts')).defineDigest },
  { names: ['limits'], load: async () => (await import('./limits.ts')).defineLimits },
  { names: ['users'], load: async () => (await import('./users.ts')).defineUsers },
  { names: ['api'], load: async () => (await import('./api.ts')).defineApi },
  { names: ['mock'], load: async () => (await import('./mock.ts')).defineMock },
  { names: ['demo'], load: async () => (await import('./demo.ts')).defineDemo },
  {
    names: ['completion', 'complete'],
    needsAll: true,
    load: async () => (await import('./completion.ts')).defineCompletion,
  },
  {
    names: ['man'],
    needsAll: true,
    load: async () => (await import('./man.ts')).defineMan,
  },
];

/**
 * The commands that these words of the command line can mean: the one they name, otherwise all of them. What a command
 * needs is loaded with it, so that `hookbell status` does not wait for the packages of `install`.
 */
export async function loadCommands(words: readonly string[]): Promise<readonly DefineCommand[]> {
  const name = words.find((word) => !word.startsWith('-'));
  const named = commandFiles.find(({ names }) => name !== undefined && names.includes(name));
  const wanted = named === undefined || named.needsAll === true ? commandFiles : [named];
  return Promise.all(wanted.map(({ load }) => load()));
}
