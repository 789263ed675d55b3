import { join } from 'node:path';

import { replaceFile } from './replace-file.ts';

export interface LaunchOptions {
  /** The Node that runs the daemon; absolute. */
  readonly node: string;
  /** The program's main file; absolute. */
  readonly main: string;
  /** What follows it. */
  readonly args?: readonly string[];
  readonly stateDirectory: string;
  /**
   * Variables the daemon must see whatever the agent's environment says, such as HOOKBELL_CONFIG or XDG_STATE_HOME:
   * with other ones it would read another configuration, or listen where the command line does not look.
   */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Writes `launch` for the shell hook and `launch.json` for the Node hook: how a hook starts the daemon. */
export function writeLaunchScript(options: LaunchOptions): void {
  const path = join(options.stateDirectory, 'launch');
  replaceFile(path, launchScript(options), { mode: 0o700 });
  replaceFile(`${path}.json`, launchDocument(options), { mode: 0o600 });
}

function launchDocument({
  node,
  main,
  args = ['daemon'],
  environment = {},
}: LaunchOptions): string {
  return `${JSON.stringify({ command: node, args: [main, ...args], environment }, null, 2)}\n`;
}

/**
 * The POSIX shell script that starts the daemon, at most once in two seconds.
 *
 * @throws RangeError when the name of a variable is none
 */
export function launchScript(options: LaunchOptions): string {
  const { node, main, args = ['daemon'], stateDirectory, environment = {} } = options;
  return `#!/bin/sh
# Written by hookbell's daemon at every start. A hook that finds no daemon runs it.
exec </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
umask 077
cd ${quote(stateDirectory)} || exit

node=${quote(node)}
# A version manager may have removed that Node since.
[ -x "$node" ] || node=$(command -v node) || exit

# Many hooks may find no daemon at the same moment, and a daemon may die as soon as it starts: one start in two
# seconds is enough. A link is made together with its content, so nobody sees a claim without its owner.
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

${exports(environment)}# When the daemon dies in those two seconds, the events of the hooks turned away must not lie until the next hook.
while rm -f turned-away; do
  "$node" ${[main, ...args].map(quote).join(' ')} &
  sleep 2
  if [ ! -e turned-away ] || kill -0 $!; then break; fi
done
rm -f launching
`;
}

function exports(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => {
      if (!/^[A-Za-z_]\w*$/.test(name)) throw new RangeError(`Not a variable name: "${name}"`);
      return `export ${name}=${quote(value)}\n`;
    })
    .join('');
}

/** Between single quotes a POSIX shell takes every character as it is, except the quote itself. */
function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
