import type { Check } from './check.ts';
import { ok, problem } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** The oldest Node that hookbell runs with; as "engines" in package.json says. */
const OLDEST = { major: 20, minor: 19 };

export function checkNodeVersion({ nodeVersion }: Pick<DoctorPorts, 'nodeVersion'>): Check {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isNewEnough = major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor);
  if (isNewEnough) return ok('node', `Node ${nodeVersion}`);
  const wanted = `${OLDEST.major}.${OLDEST.minor}`;
  return problem(
    'node',
    `Node ${nodeVersion}, expected ${wanted} or later`,
    'Install a newer Node',
  );
}
