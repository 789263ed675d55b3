import type { DefineCommand } from '../define-command.ts';

/** The file of a command, and the first words that call for it. */
interface CommandFile {
  readonly names: readonly string[];
  readonly load: () => Promise<DefineCommand>;
}

/** Every command, in the order in which `--help` lists them. */
const commandFiles: readonly CommandFile[] = [
  { names: ['install'], load: async () => (await import('./install.ts')).defineInstall },
  { names: ['uninstall'], load: async () => (await import('./uninstall.ts')).defineUninstall },
  {
    names: ['daemon', 'start', 'stop', 'restart'],
    load: async () => (await import('./daemon.ts')).defineDaemon,
  },
  { names: ['status'], load: async () => (await import('./status.ts')).defineStatus },
  { names: ['trigger'], load: async () => (await import('./trigger.ts')).defineTrigger },
];

/**
 * The commands that these words of the command line can mean: the one they name, otherwise all of them. What a command
 * needs is loaded with it, so that `hookbell status` does not wait for the packages of `install`.
 */
export async function loadCommands(words: readonly string[]): Promise<readonly DefineCommand[]> {
  const name = words.find((word) => !word.startsWith('-'));
  const named = commandFiles.filter(({ names }) => name !== undefined && names.includes(name));
  return Promise.all((named.length > 0 ? named : commandFiles).map(({ load }) => load()));
}
