import { sessionVariables, unrecordedEnvironment } from '../../core/launch-environment.ts';
import type { ServiceFacts } from './service-manager.ts';

/** Set by systemd; the daemon then knows that its children would end with it. */
const INVOCATION = 'INVOCATION_ID';

/**
 * The command (argv) with which a service manager starts the daemon: `env -i` removes variables that users and desktops
 * set in the manager, such as NODE_OPTIONS, before Node reads them. The variables of the desktop stay, and the daemon
 * validates them; the daemon adds the recorded environment itself. The process stays the same, and its command line
 * contains no secret. What it writes to standard error is kept in `last-words`, from which people learn why it failed; and
 * a version manager may have removed the Node.
 */
export function cleanStart(facts: ServiceFacts): readonly string[] {
  const passedOn = [...sessionVariables, INVOCATION].map(
    (name) => `\${${name}+"${name}=$${name}"}`,
  );
  const script = [
    'w=$1 p=$2 n=$2 m=$3; shift 3; (: >"$w") 2>/dev/null && exec 2>>"$w"',
    '[ -x "$n" ] || n=$(command -v node) || { echo "hookbell: Node.js is missing: $p" >&2; exit 127; }',
    `exec /usr/bin/env -i ${passedOn.join(' ')} "$@" "$n" "$m" --service`,
  ].join('; ');
  const variables = Object.entries(locations(facts)).map(([name, value]) => `${name}=${value}`);
  const { lastWords, node, main } = facts;
  return ['/bin/sh', '-c', script, 'hookbell', lastWords, node, main, ...variables];
}

/** The environment of a daemon until it reads the recorded one: paths of its files, and no secrets. */
function locations({ home, state, config }: ServiceFacts): Record<string, string> {
  return { ...unrecordedEnvironment(state, home), HOOKBELL_CONFIG: config };
}
