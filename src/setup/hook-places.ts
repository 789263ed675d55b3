import { constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

import { shellWord } from '../text/escape.ts';
import type { DialectName } from '../core/hook-event.ts';
import type { HookShape, Registration } from '../core/agent/registration.ts';
import { fileExists } from './settings-file.ts';

/** The name that identifies our entries, regardless of the installation path. */
const HOOK_NAME = 'hookbell-hook';

/** Placeholder for the hook of the user who runs the agent, in shared files. */
export const PORTABLE_HOOK = HOOK_NAME;

/** The hook that waits for an answer. */
const ASK_NAME = 'hookbell-ask';

/** Whether a command runs our hook, and does not only mention it. */
export function isOwnCommand(command: string): boolean {
  return runs(HOOK_NAME, command);
}

/** Whether a command runs the hook that waits for an answer. */
export function isAskCommand(command: string): boolean {
  return runs(ASK_NAME, command);
}

function runs(name: string, command: string): boolean {
  return new RegExp(`(^|[/\\\\])${name}(?:\\.cjs)?(['"\\s]|$)`).test(command);
}

const RUN = `"$h/hooks/${HOOK_NAME}"`;

/** Whether a command looks up the hook of the user who runs it. */
export function isPortable(command: string): boolean {
  return command.includes(`exec ${RUN}`) || command.split(' ', 1)[0] === PORTABLE_HOOK;
}

/**
 * The hook and its words as a shell runs them: silently and with success even if the program is missing, because an agent
 * would show that as an error on every event. Settings travel without the program: into a container, to another machine.
 * The form works in every POSIX shell and in fish (Codex runs hooks in the user's own), and `exec` keeps it one process.
 *
 * A portable one tries the paths of a user's installation and of a package. The home directory comes from the user
 * database: a repository can set HOME, and the hook that is found is run. Git Bash on Windows asks for the folder of local
 * programs, CSIDL_LOCAL_APPDATA (https://cygwin.com/cygwin-ug-net/cygpath.html).
 *
 * @param hook absolute path, or {@link PORTABLE_HOOK}
 */
export function hookCommandLine(hook: string, words: readonly string[]): string {
  const line = words.map((word) => ` ${shellWord(word)}`).join('');
  const program = shellWord(hook);
  if (hook !== PORTABLE_HOOK) return `[ ! -x ${program} ] || exec ${program}${line}`;
  const home =
    'h=$(PATH=/usr/bin:/bin:/run/current-system/sw/bin id -un) && eval "h=~$h/.local/share"';
  const local = 'if [ -x /usr/bin/cygpath ]; then h=$(/usr/bin/cygpath -F 28)/Programs; else';
  const places = '"$h/hookbell" /usr/lib/hookbell';
  return `${local} ${home}; fi; for h in ${places}; do [ -x ${RUN} ] && exec ${RUN}${line}; done; exit 0`;
}

/** The program of a command, without its quotes: the first word, or the one that {@link hookCommandLine} runs. */
export function programOf(command: string): string {
  const guarded = /^\[ ! -x (.+) \] \|\| exec \1(?: |$)/.exec(command)?.[1];
  const line = guarded ?? command;
  const [, single] = /^'((?:[^']|'\\'')*)'/.exec(line) ?? [];
  if (single !== undefined) return single.replaceAll(String.raw`'\''`, "'");
  const [, double] = /^"([^"]*)"/.exec(line) ?? [];
  return double ?? line.split(/\s/, 1)[0] ?? '';
}

/** An agent whose hooks can be registered. */
export interface RegistrableAgent {
  readonly agent: DialectName;
  /** What to call it, if not by that. */
  readonly called?: string;
  readonly registration: Registration;
}

export interface HookSurroundings {
  /** The home directory, or the project's directory for `--scope project`. */
  readonly base: string;
  readonly home: string;
  /** Directory of configurations, if not `.config` in the home directory. */
  readonly configHome?: string;
  /** The state directory, which the registered command names; if not below the home directory. */
  readonly state?: string;
  readonly searchPath: string;
  /** The Node that runs the hook, on Windows; absent: the system runs it. */
  readonly node?: string | undefined;
  /** For agents with a variable that moves their settings. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The events to register: some only for the user, not for a project. */
export function registrationAt(
  registration: Registration,
  { base, home }: Pick<HookSurroundings, 'base' | 'home'>,
): Registration {
  const { events, userOnly = [] } = registration;
  if (base === home) return registration;
  return { ...registration, events: events.filter(({ name }) => !userOnly.includes(name)) };
}

/** Whether the agent is installed: one of its directories exists, or its program is in PATH. */
export async function isInstalled(
  registration: Registration,
  surroundings: HookSurroundings,
): Promise<boolean> {
  const { evidence, programs } = registration;
  const { home, searchPath, node } = surroundings;
  const places = evidence.map((path) => placeOf(path, home, registration, surroundings));
  const directories = searchPath.split(delimiter).filter((part) => part !== '');
  const names = programs.flatMap((program) =>
    node === undefined ? [program] : [`${program}.exe`, `${program}.cmd`],
  );
  const candidates = names.flatMap((name) => directories.map((part) => join(part, name)));
  for (const place of places) if (await fileExists(place)) return true;
  for (const candidate of candidates) if (await fileExists(candidate, constants.X_OK)) return true;
  return false;
}

/** The agent's hook file, which may not exist yet; null if a project has none. */
export async function chooseFile(
  registration: Registration,
  surroundings: HookSurroundings,
): Promise<{ readonly path: string; readonly shape: HookShape } | null> {
  const { base, home } = surroundings;
  const candidates = registration.files.flatMap(({ path, projectPath = path, shape }) => {
    const relative = base === home ? path : projectPath;
    if (relative === null) return [];
    return [{ path: placeOf(relative, base, registration, surroundings), shape }];
  });
  for (const file of candidates) if (await fileExists(file.path)) return file;
  return candidates.at(-1) ?? null;
}

/** Path of a file that exists per user and per project; null: no project. */
export function placesOf(
  path: string,
  registration: Pick<Registration, 'movedBy'>,
  surroundings: HookSurroundings,
  project: string | null,
): readonly string[] {
  const { home } = surroundings;
  const bases = project === null || project === home ? [home] : [home, project];
  return bases.map((base) => placeOf(path, base, registration, surroundings));
}

/** The user's settings may be outside the home directory; those of a project are always in the project. */
function placeOf(
  path: string,
  base: string,
  { movedBy }: Pick<Registration, 'movedBy'>,
  { home, configHome, env = {} }: HookSurroundings,
): string {
  if (base !== home) return join(base, path);
  const moved = movedBy === undefined ? undefined : env[movedBy.variable];
  if (movedBy !== undefined && moved !== undefined && isAbsolute(moved)) {
    const below = withinDirectory(path, movedBy.directory);
    if (below !== null) return join(moved, below);
  }
  const inConfig = configHome === undefined ? null : withinDirectory(path, '.config');
  return configHome === undefined || inConfig === null
    ? join(base, path)
    : join(configHome, inConfig);
}

/** The part of a path after the directory; null for a path elsewhere. */
function withinDirectory(path: string, directory: string): string | null {
  if (path === directory) return '';
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null;
}
