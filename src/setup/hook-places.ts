import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

import { shellWord } from '../text/escape.ts';
import type { DialectName } from '../core/hook-event.ts';
import type { HookShape, Registration } from '../core/registration.ts';

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

/** An agent whose hooks can be registered. */
export interface RegistrableAgent {
  readonly agent: DialectName;
  readonly registration: Registration;
}

export interface HookSurroundings {
  /** The home directory, or the project's for `--scope project`. */
  readonly base: string;
  readonly home: string;
  /** Where programs keep their configuration, if not in `.config` of the home directory. */
  readonly configHome?: string;
  /** The state directory, which the registered command names; if not below the home directory. */
  readonly state?: string;
  readonly searchPath: string;
  /** Some agents have a variable that says where their settings lie. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What is registered there: some events are for the user alone. */
export function registrationAt(
  registration: Registration,
  { base, home }: Pick<HookSurroundings, 'base' | 'home'>,
): Registration {
  const { events, userOnly = [] } = registration;
  if (base === home) return registration;
  return { ...registration, events: events.filter(({ name }) => !userOnly.includes(name)) };
}

/** Whether the agent is on this machine: one of its directories, or its program on PATH. */
export async function isInstalled(
  registration: Registration,
  surroundings: HookSurroundings,
): Promise<boolean> {
  const { evidence, programs } = registration;
  const { home, searchPath } = surroundings;
  const places = evidence.map((path) => placeOf(path, home, registration, surroundings));
  const directories = searchPath.split(delimiter).filter((part) => part !== '');
  const candidates = programs.flatMap((program) => directories.map((part) => join(part, program)));
  for (const place of places) if (await exists(place, constants.F_OK)) return true;
  for (const candidate of candidates) if (await exists(candidate, constants.X_OK)) return true;
  return false;
}

/** The file that names the hooks of the agent, there or to be made; null where a project has none. */
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
  for (const file of candidates) if (await exists(file.path, constants.F_OK)) return file;
  return candidates.at(-1) ?? null;
}

/** Where a file lies that there may be for the user and for the project; null: no project. */
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

/** The settings of the user may lie elsewhere than below the home directory; those of a project never do. */
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

/** What follows the directory in a path; null for a path elsewhere. */
function withinDirectory(path: string, directory: string): string | null {
  if (path === directory) return '';
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null;
}

async function exists(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
