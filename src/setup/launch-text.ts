import { existsSync } from 'node:fs';

import { unrecordedEnvironment } from '../core/launch-environment.ts';
import type { ManagerStart } from './services/service-manager.ts';

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
  /** How the service manager is asked to start it; null where no service is installed. */
  readonly manager: ManagerStart | null;
}

/** Last line of `launch` and its spare; a hook treats a file without it as truncated. */
export const LAST_LINE = 'rm -f launching';
export const FORMAT = 3;
export const FORMAT_LINE = `\n# Format ${FORMAT}.`;
export const UNRECORDED_LINE = '\n# No command has recorded an environment yet.';

/**
 * The POSIX shell script that starts the daemon, at most once in two seconds, through the service manager where one has a
 * service. `launch` discards the environment and runs itself again as `launch start`. As `launch watch HOW` it waits until
 * the daemon, which holds the other end of its standard input, ends, and starts another one after an unclean end if an
 * event waits: `at-once` or `slowly`. It starts none while `hookbell stop` holds, and tells the person when a start failed.
 *
 * @throws RangeError for an invalid variable name
 */
export function launchScript(options: LaunchOptions): string {
  const { node, main, args = [], stateDirectory, manager } = options;
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

# Once in ten minutes: the hooks of an agent may come every second. Without a desktop, the next hook in a terminal rings.
tell() {
  [ -z "$(find told -mmin -10)" ] || return
  : >told
  text="Your agents cannot reach you until it does. Run hookbell doctor. $(head -n 1 last-words | tr -d '<>&' | head -c 200)"
  if [ -n "\${DBUS_SESSION_BUS_ADDRESS-}" ]; then
    notify-send -u critical 'hookbell cannot start' "$text" && return
  fi
  osascript -e 'on run argv' -e 'display notification (item 1 of argv) with title "hookbell cannot start"' -e 'end run' -- "$text" && return
  : >bell
}
node=${quote(node)}
# A version manager may have removed that Node since.
if ! [ -x "$node" ] && ! node=$(command -v node); then
  echo ${quote(`hookbell: Node.js is missing: ${node}`)} >last-words
  tell
  exit
fi

# "hookbell stop" holds: its first word is a time in seconds, or "-".
is_stopped() {
  read -r until _ <stopped || return
  case $until in
    -) ;;
    '' | *[!0-9]*) return 1 ;;
    *) [ "$(date +%s)" -lt "$until" ] ;;
  esac
}
has_events() { set -- spool/*; [ -e "$1" ]; }

revived=''
if [ "$1" = watch ]; then
  # A line: the daemon was asked to stop. No line: it was killed, perhaps a moment after a hook had seen it alive.
  read -r _ && exit
  exec </dev/null
  sleep 0.2 || sleep 1
  has_events || exit
  # One that is killed over and over must not keep the machine busy.
  if [ "$2" = slowly ]; then
    sleep 30
    has_events || exit
  fi
  revived=--revived
fi
is_stopped && exit

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

${askManager(manager)}
# When the daemon dies in those two seconds, the events of the hooks turned away must not lie until the next hook.
while rm -f turned-away; do
  child=''
  if ! by_manager; then
    # On a full disk it starts without, and makes room.
    words=last-words
    (: >last-words) || words=/dev/null
    "$node" ${command([main, ...args])} --by-hook \${revived:+"$revived"} 2>>"$words" &
    child=$!
  fi
  sleep 2
  if [ -s last-words ] && has_failed; then tell; fi
  if [ ! -e turned-away ] || is_stopped || { [ -n "$child" ] && kill -0 "$child"; }; then break; fi
done
${LAST_LINE}
`;
}

/** A function of the script: succeeds if the service manager answers for the daemon. */
function askManager(manager: ManagerStart | null): string {
  if (manager === null) return 'by_manager() { false; }\nhas_failed() { ! kill -0 "$child"; }\n';
  const start = manager.start.map(command).join('; ');
  const gaveUp = manager.gaveUp === null ? 'false' : command(manager.gaveUp);
  return `# One daemon runs, and it is the manager's. A session without a manager, as after a log-out, does without.
by_manager() (
  XDG_RUNTIME_DIR=\${XDG_RUNTIME_DIR:-/run/user/$(id -u)}
  export XDG_RUNTIME_DIR
  ${command(manager.known)} || exit
  { ${start}; } && exit
  ${gaveUp} || exit
  # It failed too often in a minute.
  tell
  sleep 60
  if has_events && ! is_stopped; then ${start}; fi
  exit 0
)
has_failed() {
  if [ -n "$child" ]; then
    ! kill -0 "$child"
  else
    # The manager tries again some times.
    sleep 20
    ${gaveUp}
  fi
}
`;
}

function command(words: readonly string[]): string {
  return words.map(quote).join(' ');
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

/** The environment of the daemon. */
export function environmentOf({ environment, stateDirectory, home }: LaunchOptions) {
  return environment ?? unrecordedEnvironment(stateDirectory, home);
}
