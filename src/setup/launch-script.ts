import { existsSync, lstatSync, readFileSync } from 'node:fs';

import { unrecordedEnvironment } from '../core/launch-environment.ts';
import { replaceFile } from '../platform/replace-file.ts';

export interface LaunchOptions {
  /** The Node that runs the daemon; absolute. */
  readonly node: string;
  /** The program's main file; absolute. */
  readonly main: string;
  /** Arguments of `main`. */
  readonly args?: readonly string[];
  readonly stateDirectory: string;
  readonly home: string;
  /** The whole environment of the daemon, as recorded by a user's command; null: not recorded. */
  readonly environment: Readonly<Record<string, string>> | null;
}

/** How a hook starts the daemon: the content of `launch.json`. */
export interface LaunchRecord {
  readonly command: string;
  readonly args: readonly string[];
  /** The environment that `install`, `start` or `restart` recorded; null where none of them has run. */
  readonly environment: Readonly<Record<string, string>> | null;
}

/** Last line of `launch` and its spare; a hook treats a file without it as truncated. */
const LAST_LINE = 'rm -f launching';
const FORMAT = 2;
const FORMAT_LINE = `\n# Format ${FORMAT}.`;
const UNRECORDED_LINE = '\n# No command has recorded an environment yet.';

/**
 * Writes how a hook starts the daemon: `launch` and a spare of it for the shell hook, `launch.json` for the Node hook and
 * for the daemon, which keeps the recorded environment. Only the owner may read them, because the environment may
 * contain secrets. Unchanged files are not written again.
 *
 * @throws if the state directory is not writable
 */
export function writeLaunchScript(options: LaunchOptions): void {
  const launch = `${options.stateDirectory}/launch`;
  const script = launchScript(options);
  keepFile(`${launch}.json`, launchDocument(options), 0o600);
  keepFile(`${launch}.spare`, script, 0o700);
  keepFile(launch, script, 0o700);
}

/** The files with which a hook starts the daemon. */
export function launchFiles(launch: string): readonly string[] {
  return [launch, `${launch}.spare`, `${launch}.json`];
}

function keepFile(path: string, text: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isSame =
    found?.isFile() === true &&
    (found.mode & 0o777) === mode &&
    readFileSync(path, 'utf8') === text;
  if (!isSame) replaceFile(path, text, { mode, durable: true });
}

function launchDocument(options: LaunchOptions): string {
  const { node, main, args = [], environment } = options;
  const document = {
    format: FORMAT,
    command: node,
    args: [main, ...args],
    environment: environmentOf(options),
    recorded: environment !== null,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function environmentOf({ environment, stateDirectory, home }: LaunchOptions) {
  return environment ?? unrecordedEnvironment(stateDirectory, home);
}

/** Reads `launch.json` next to a launch script; null if it is missing, not ours, truncated or of an earlier version. */
export function readLaunchRecord(launch: string): LaunchRecord | null {
  try {
    const path = `${launch}.json`;
    const found = lstatSync(path);
    const uid = process.geteuid?.();
    if (!found.isFile() || (uid !== undefined && found.uid !== uid)) return null;
    const document: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isDocument(document)
      ? { ...document, environment: document.recorded ? document.environment : null }
      : null;
  } catch {
    return null;
  }
}

interface LaunchDocument extends LaunchRecord {
  readonly environment: Readonly<Record<string, string>>;
  readonly recorded: boolean;
}

function isDocument(value: unknown): value is LaunchDocument {
  if (typeof value !== 'object' || value === null) return false;
  const { format, command, args, environment, recorded }: Partial<Record<string, unknown>> = {
    ...value,
  };
  return (
    format === FORMAT &&
    typeof command === 'string' &&
    Array.isArray(args) &&
    typeof environment === 'object' &&
    environment !== null &&
    Object.values(environment).every((each) => typeof each === 'string') &&
    typeof recorded === 'boolean'
  );
}

/**
 * State of a launch script: `outdated` ones pass the environment of an agent to the daemon, `unrecorded` ones were written
 * by a daemon before any command recorded an environment.
 */
export type LaunchState = 'ok' | 'missing' | 'truncated' | 'outdated' | 'unrecorded';

/** Checks the content of a launch script. */
export function launchState(launch: string): LaunchState {
  if (!existsSync(launch)) return 'missing';
  const text = readText(launch);
  if (!text.endsWith(`\n${LAST_LINE}\n`)) return 'truncated';
  if (!text.includes(FORMAT_LINE)) return 'outdated';
  return text.includes(UNRECORDED_LINE) ? 'unrecorded' : 'ok';
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The POSIX shell script that starts the daemon, at most once in two seconds. `launch` discards the environment and
 * runs itself again as `launch start`. As `launch watch HOW` it waits until the daemon, which holds the other end of its
 * standard input, ends, and starts another one after an unclean end if an event waits: `at-once` or `slowly`.
 *
 * @throws RangeError for an invalid variable name
 */
export function launchScript(options: LaunchOptions): string {
  const { node, main, args = [], stateDirectory } = options;
  return `#!/bin/sh
# Written by hookbell. A hook that finds no daemon runs it.${FORMAT_LINE}${options.environment === null ? UNRECORDED_LINE : ''}
exec >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
umask 077
# A core dump would hold secrets and texts of events.
# shellcheck disable=SC3045 # The shells of Linux and macOS know -c; for another one this does nothing.
ulimit -c 0
case \${1-} in
  start) exec </dev/null ;;
  watch) ;;
  # Nothing of the environment of an agent reaches the daemon: a repository can set it. The shell itself runs again, so that
  # no value stands on a command line, which other users can read.
  *) exec ${quote(envProgram())} -i /bin/sh ${quote(`${stateDirectory}/launch`)} start </dev/null ;;
esac
cd ${quote(stateDirectory)} || exit
${exports(environmentOf(options))}
node=${quote(node)}
# A version manager may have removed that Node since.
[ -x "$node" ] || node=$(command -v node) || exit

revived=''
if [ "$1" = watch ]; then
  # A line: the daemon was asked to stop. No line: it was killed, perhaps a moment after a hook had seen it alive.
  read -r _ && exit
  exec </dev/null
  has_events() { set -- spool/*; [ -e "$1" ]; }
  sleep 0.2 || sleep 1
  has_events || exit
  # One that is killed over and over must not keep the machine busy.
  if [ "$2" = slowly ]; then
    sleep 30
    has_events || exit
  fi
  revived=--revived
fi

# Many hooks may find no daemon at the same moment, and a daemon may die as soon as it starts: one start in two
# seconds is enough. A link is made together with its content, so no process sees a claim without its owner.
read -r boot </proc/sys/kernel/random/boot_id || boot=-
claim() { ln -s "$$.$boot" launching; }
is_claimed() {
  owner=$(readlink launching) && [ "\${owner#*.}" = "$boot" ] && kill -0 "\${owner%%.*}"
}
if ! claim; then
  if is_claimed; then
    : >turned-away
    exit
  fi
  rm -f launching
  claim || exit
fi

# When the daemon dies in those two seconds, the events of the hooks turned away must not lie until the next hook.
while rm -f turned-away; do
  "$node" ${[main, ...args].map(quote).join(' ')} \${revived:+"$revived"} &
  sleep 2
  if [ ! -e turned-away ] || kill -0 $!; then break; fi
done
${LAST_LINE}
`;
}

/** Absolute, because it runs while the agent's PATH is still in force. */
function envProgram(): string {
  const places = ['/usr/bin/env', '/bin/env', '/run/current-system/sw/bin/env'];
  return places.find((place) => existsSync(place)) ?? '/usr/bin/env';
}

function exports(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => {
      if (!/^[A-Za-z_]\w*$/.test(name)) throw new RangeError(`Not a variable name: "${name}"`);
      return `export ${name}=${quote(value)}\n`;
    })
    .join('');
}

/** Between single quotes, a POSIX shell takes every character literally except the quote itself. */
function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
