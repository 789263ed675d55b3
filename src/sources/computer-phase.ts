import { createHash } from 'node:crypto';

import type { Computer, ProvisioningStep } from '../api/index.ts';
import { failedStep, stepState } from '../api/index.ts';

/**
 * - `failed`: it says so, or one of its steps failed
 * - `provisioning`: it is being set up
 * - `active`: it can be used
 * - `unknown`: it never said
 */
export const phases = ['failed', 'provisioning', 'active', 'unknown'] as const;
export type ComputerPhase = (typeof phases)[number];

/** Null where it says nothing of it: the service may leave its status out. */
export function phaseOf(computer: Computer): Exclude<ComputerPhase, 'unknown'> | null {
  const { status } = computer;
  if (status === 'error' || failedStep(computer) !== null) return 'failed';
  if (status === 'provisioning') return 'provisioning';
  return status === 'active' ? 'active' : null;
}

/** The same for the same failure, and another one for a failure after a retry; says nothing of the error's text. */
export function failureMark(computer: Computer): string {
  const { id, name, error, startedAt } = failedStep(computer) ?? {};
  const facts = JSON.stringify([computer.status, id, name, error, startedAt]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 16);
}

/** The step it is at while it is being set up: the failed one, else the first that has no end. */
export function currentStep(computer: Computer): ProvisioningStep | null {
  const open = computer.provisioningSteps?.find((step) => stepState(step) === 'open');
  return failedStep(computer) ?? open ?? null;
}
