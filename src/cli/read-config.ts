import { channelCatalog } from '../channels/registry.ts';
import type { Config } from '../config/config.ts';
import type { ConfigView } from '../config/config-holder.ts';
import { loadConfig, type Loaded, type LoadOptions } from '../config/load.ts';
import { formatProblem } from '../config/problem.ts';
import { ConfigError, NotFoundError } from '../platform/errors.ts';
import { displayLine } from '../text/sanitize.ts';
import type { CommandContext } from './context.ts';

/** Loads a configuration with every channel type. */
export function loadFullConfig(
  path: string,
  options: Pick<LoadOptions, 'examine'> = {},
): Promise<Loaded> {
  return loadConfig(path, { catalog: channelCatalog, ...options });
}

/** Says that the daemon refused the file: what it does is not what the file says. */
export function complainNotInForce(
  { output }: Pick<CommandContext, 'output'>,
  { ok, problems: [first = 'it is not valid', ...others] }: ConfigView,
): void {
  if (ok) return;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  output.complain(
    `The configuration is not in force, the former settings are: ${displayLine(first)}${more}`,
  );
  output.complain('  Run "hookbell config check"');
}

/**
 * Loads the configuration for a command that needs a valid one.
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

/**
 * Loads a configuration from a file that the user named: a missing file does not mean the defaults.
 *
 * @throws NotFoundError if the file does not exist
 * @throws ConfigError as `requireConfig`
 */
export async function requireNamedConfig(path: string): Promise<Config> {
  const config = await requireConfig(path);
  if (config.exists) return config;
  throw new NotFoundError(`Cannot read the configuration "${path}": no such file`);
}
