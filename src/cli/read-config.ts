import { channelDefinitions } from '../channels/registry.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Loaded } from '../config/load.ts';
import { formatProblem } from '../config/problem.ts';
import { ConfigError } from '../core/errors.ts';
import { displayLine } from '../core/sanitize.ts';

/** Loads a configuration with every type of channel there is. */
export function loadFullConfig(path: string): Promise<Loaded> {
  return loadConfig(path, { definitions: channelDefinitions });
}

/**
 * The configuration for a command that cannot go on without one.
 *
 * @throws ConfigError with every problem as file:line:column
 */
export async function requireConfig(path: string): Promise<Config> {
  const loaded = await loadFullConfig(path);
  if (loaded.ok) return loaded.config;
  const lines = loaded.problems.map((problem) => displayLine(formatProblem(problem)));
  throw new ConfigError(`Cannot use the configuration:\n${lines.join('\n')}`, {
    hint: 'Repair the file, then run "hookbell config check"',
  });
}
