import { isNewEnough, OLDEST_NODE } from '../../core/program-files.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

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
  if (isNewEnough(nodeVersion)) return ok(name, `Node ${nodeVersion}`);
  return found(name, troubles.old, `Node ${nodeVersion}, expected ${OLDEST_NODE} or later`);
}
