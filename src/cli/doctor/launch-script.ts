import type { Check } from './check.ts';
import { ok, problem, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

const name = 'launch script';

/** The script by which a hook starts the daemon. */
export async function checkLaunchScript({
  paths,
  uid,
  lookAt,
  isExecutable,
}: Pick<DoctorPorts, 'paths' | 'uid' | 'lookAt' | 'isExecutable'>): Promise<Check> {
  const path = paths.launch;
  const again = 'Run "hookbell restart": the daemon writes it at every start';
  const found = await lookAt(path);
  if (found === null) {
    return warning(name, `${path} is not there: hooks cannot start the daemon`, again);
  }
  const isOurs = found.type === 'file' && (uid === null || found.uid === uid);
  if (isOurs && (await isExecutable(path))) return ok(name, path);
  return problem(name, `${path} is not a program of yours: hooks do not run it`, again);
}
