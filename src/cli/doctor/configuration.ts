import type { Loaded } from '../../config/load.ts';
import { formatProblem } from '../../config/problem.ts';
import type { Check } from './check.ts';
import { ok, problem, warning } from './check.ts';
import type { DaemonSight } from './daemon.ts';
import type { DoctorPorts } from './ports.ts';

const name = 'configuration';
const repair = 'Run "hookbell config check" and repair the file; the daemon takes it by itself';

/** Whether the configuration can be used, and is the one that holds. */
export function checkConfiguration(
  loaded: Loaded,
  { status }: DaemonSight,
  { paths }: Pick<DoctorPorts, 'paths'>,
): Check {
  if (!loaded.ok) return problem(name, loaded.problems.map(formatProblem).join('; '), repair);
  if (status !== null && status.config.path !== paths.config) {
    return warning(
      name,
      `the daemon reads ${status.config.path}, this command ${paths.config}`,
      'Run "hookbell restart" where HOOKBELL_CONFIG and XDG_CONFIG_HOME are as you want them',
    );
  }
  if (status !== null && !status.config.ok) {
    const why = status.config.problems.join('; ');
    return problem(name, `the daemon did not take it: ${why}`, repair);
  }
  if (loaded.warnings.length > 0) {
    return warning(name, loaded.warnings.map(formatProblem).join('; '), 'Edit the file');
  }
  const { path, exists } = loaded.config;
  return ok(name, exists ? path : `no ${path}: the built-in one holds`);
}
