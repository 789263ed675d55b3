import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const environmentGuide = {
  name: 'environment',
  about:
    'Whether a variable of this shell disables TLS certificate verification. hookbell ignores it; other programs, such as your agents, do not',
  troubles: {
    insecure: {
      state: 'warning',
      meaning:
        'Every Node program started here accepts any certificate; hookbell itself still verifies them',
      remedy:
        'Remove {name} from your environment. For the certificate authority of your company, set NODE_EXTRA_CA_CERTS to a file that only you may write, and run "hookbell restart"',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = environmentGuide;

/** Looks for variables that were removed because the environment may not set them. */
export function checkEnvironment({
  ignoredVariables,
}: Pick<DoctorPorts, 'ignoredVariables'>): Check {
  const [first] = ignoredVariables;
  if (first === undefined) return ok(name, 'certificates are verified');
  return found(name, troubles.insecure, `${first} is 0 here; hookbell ignores it`, { name: first });
}
