import type { Loaded } from '../../config/load.ts';
import { formatProblem } from '../../config/problem.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DaemonSight } from './daemon.ts';
import type { DoctorPorts } from './ports.ts';

const repair =
  'Run "hookbell config check" and repair the file; the daemon reloads it automatically';

export const configurationGuide = {
  name: 'configuration',
  about: 'Whether the configuration is valid and in effect',
  troubles: {
    invalid: {
      state: 'problem',
      meaning:
        'The file has an error, reported with line and column; the last valid configuration stays in effect',
      remedy: repair,
    },
    other: {
      state: 'warning',
      meaning:
        'The daemon was started with other variables and reads a different file than this command',
      remedy:
        'Run "hookbell restart" with HOOKBELL_CONFIG and XDG_CONFIG_HOME set as you want them',
    },
    untaken: {
      state: 'problem',
      meaning:
        'The file is well-formed, but the daemon cannot use it, for example because a secret cannot be read',
      remedy: repair,
    },
    doubtful: {
      state: 'warning',
      meaning: 'It is in effect, but a setting does not do what it seems to',
      remedy: 'Edit the file',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = configurationGuide;

/** Checks that the configuration is valid and in effect. */
export function checkConfiguration(
  loaded: Loaded,
  { status }: DaemonSight,
  { paths }: Pick<DoctorPorts, 'paths'>,
): Check {
  if (!loaded.ok) {
    return found(name, troubles.invalid, loaded.problems.map(formatProblem).join('; '));
  }
  if (status !== null && status.config.path !== paths.config) {
    const summary = `the daemon reads ${status.config.path}, this command ${paths.config}`;
    return found(name, troubles.other, summary);
  }
  if (status !== null && !status.config.ok) {
    const why = status.config.problems.join('; ');
    return found(name, troubles.untaken, `the daemon rejected it: ${why}`);
  }
  if (loaded.warnings.length > 0) {
    return found(name, troubles.doubtful, loaded.warnings.map(formatProblem).join('; '));
  }
  const { path, exists } = loaded.config;
  return ok(name, exists ? path : `no ${path}: the built-in one is in effect`);
}
