import { sessionVariables, unrecordedEnvironment } from '../../core/launch-environment.ts';
import type { ServiceFacts } from './service-manager.ts';

/** systemd's; by it the daemon knows that what it starts would end with it. */
const INVOCATION = 'INVOCATION_ID';

/**
 * The command (argv) by which a service manager starts the daemon: `env -i` takes away what people and desktops have set in the
 * manager, such as NODE_OPTIONS, before Node could act by it. What says where the desktop is stays, for the daemon to
 * validate; the daemon adds the recorded environment itself. The process stays the same, and no value on its command
 * line is secret.
 */
export function cleanStart(facts: ServiceFacts): readonly string[] {
  const kept = [...sessionVariables, INVOCATION].map((name) => `\${${name}+"${name}=$${name}"}`);
  const script = `exec /usr/bin/env -i ${kept.join(' ')} "$@"`;
  const own = Object.entries(locations(facts)).map(([name, value]) => `${name}=${value}`);
  return ['/bin/sh', '-c', script, 'hookbell', ...own, facts.node, facts.main];
}

/** The environment of a daemon until it reads the recorded one: where its files are, and nothing secret. */
function locations({ home, state, config }: ServiceFacts): Record<string, string> {
  return { ...unrecordedEnvironment(state, home), HOOKBELL_CONFIG: config };
}
