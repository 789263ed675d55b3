import { shellWord } from '../core/shell-word.ts';

/** The name by which our own entries are recognised, wherever the program was installed. */
const HOOK_NAME = 'hookbell-hook';

/** Stands for the hook of whichever person runs the agent, in files that people share. */
export const PORTABLE_HOOK = HOOK_NAME;

/** Whether a command runs our hook, and does not only mention it. */
export function isOwnCommand(command: string): boolean {
  return new RegExp(`(^|[/\\\\])${HOOK_NAME}(['"\\s]|$)`).test(command);
}

const RUN = `"$h/hooks/${HOOK_NAME}"`;

/** Whether a command looks for the hook of the person who runs it. */
export function isPortable(command: string): boolean {
  return command.includes(`exec ${RUN}`) || command.split(' ', 1)[0] === PORTABLE_HOOK;
}

/**
 * The hook and its words as a shell runs them.
 *
 * A portable one tries the places of a person's installation and of a package; none is no failure, since an agent shows a
 * missing command as an error on every event. The home directory is that of the user database: HOME is a variable,
 * which a repository can set, and what is found is run.
 *
 * @param hook absolute path, or {@link PORTABLE_HOOK}
 */
export function hookCommandLine(hook: string, words: readonly string[]): string {
  const line = words.map((word) => ` ${shellWord(word)}`).join('');
  if (hook !== PORTABLE_HOOK) return `${shellWord(hook)}${line}`;
  const home = 'u=$(PATH=/usr/bin:/bin:/run/current-system/sw/bin id -un) && eval "u=~$u"';
  const places = '"$u/.local/share/hookbell" /usr/lib/hookbell';
  return `${home}; for h in ${places}; do [ -x ${RUN} ] && exec ${RUN}${line}; done; exit 0`;
}
