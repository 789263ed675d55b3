import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** The oldest Node that hookbell runs with; as "engines" in package.json says. */
const OLDEST = { major: 20, minor: 19 };

export const nodeGuide = {
  name: 'node',
  about: 'Whether the Node.js that runs hookbell is new enough',
  troubles: {
    old: {
      state: 'problem',
      meaning: 'hookbell is not tested with it and may not start',
      remedy: 'Install a newer Node',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = nodeGuide;

export function checkNodeVersion({ nodeVersion }: Pick<DoctorPorts, 'nodeVersion'>): Check {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isNewEnough = major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor);
  if (isNewEnough) return ok(name, `Node ${nodeVersion}`);
  const wanted = `${OLDEST.major}.${OLDEST.minor}`;
  return found(name, troubles.old, `Node ${nodeVersion}, expected ${wanted} or later`);
}
