import type { StatusView } from '../../core/control.ts';
import { HookbellError } from '../../core/errors.ts';
import { ageSince } from '../time-text.ts';
import type { Check } from './check.ts';
import { ok, problem, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** The daemon's answer, or why there is none. */
export type DaemonSight =
  | { readonly status: StatusView }
  | { readonly status: null; readonly reason: string };

const PATIENCE_MS = 3_000;

export async function lookAtDaemon({ ask }: Pick<DoctorPorts, 'ask'>): Promise<DaemonSight> {
  try {
    return { status: await ask('GET /v1/status', { timeoutMs: PATIENCE_MS }) };
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return { status: null, reason: error.message };
  }
}

const name = 'daemon';

export function checkDaemon(
  sight: DaemonSight,
  { version, now }: Pick<DoctorPorts, 'version' | 'now'>,
): Check {
  if (sight.status === null) return problem(name, sight.reason, 'Run "hookbell start"');
  const { pid, startedAt, version: running } = sight.status;
  const summary = `version ${running}, pid ${pid}, for ${ageSince(startedAt, now())}`;
  if (running === version) return ok(name, summary);
  return warning(name, `${summary}; this command is version ${version}`, 'Run "hookbell restart"');
}

/** What the daemon itself wants a person to know. */
export function checkDaemonWarnings({ warnings }: StatusView): Check {
  if (warnings.length === 0) return ok('warnings', 'none');
  return warning('warnings', warnings.join('; '), null);
}
