import { sessionVariables, unrecordedEnvironment } from '../../core/launch-environment.ts';
import type { ServiceFacts } from './service-manager.ts';

/** Set by systemd; the daemon then knows that its children would end with it. */
const INVOCATION = 'INVOCATION_ID';

/**
 * The command (argv) with which a service manager starts the daemon: `env -i` removes variables that users and desktops
 * set in the manager, such as NODE_OPTIONS, before Node reads them. The variables of the desktop stay, and the daemon
 * validates them; the daemon adds the recorded environment itself. The process stays the same, and its command line
 * contains no secret.
 */
export function cleanStart(facts: ServiceFacts): readonly string[] {
  const passedOn = [...sessionVariables, INVOCATION].map(
    (name) => `\${${name}+"${name}=$${name}"}`,
  );
  const script = `exec /usr/bin/env -i ${passedOn.join(' ')} "$@"`;
  const variables = Object.entries(locations(facts)).map(([name, value]) => `${name}=${value}`);
  return ['/bin/sh', '-c', script, 'hookbell', ...variables, facts.node, facts.main];
}

/** The environment of a daemon until it reads the recorded one: paths of its files, and no secrets. */
function locations({ home, state, config }: ServiceFacts): Record<string, string> {
  return { ...unrecordedEnvironment(state, home), HOOKBELL_CONFIG: config };
}
