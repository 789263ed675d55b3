import type { Computer, ProvisioningStep } from './computer.ts';

/**
 * How far a step is. Values of its `status` are not documented: it failed if it has an error or a status that
 * says so, and it is done once it has an end.
 */
export function stepState({
  error,
  status,
  completedAt,
}: Readonly<Partial<Record<keyof ProvisioningStep, unknown>>>): 'failed' | 'done' | 'open' {
  const says = typeof status === 'string' ? status : '';
  if ((error ?? '') !== '' || /fail|error/i.test(says)) return 'failed';
  return completedAt === undefined || completedAt === null ? 'open' : 'done';
}

/** The first failed step of a computer, with the session that ran it in `installSessionId`. */
export function failedStep({ provisioningSteps }: Computer): ProvisioningStep | null {
  return provisioningSteps?.find((step) => stepState(step) === 'failed') ?? null;
}

/** The status of a computer as people read it; the service may leave it out. */
export function computerStatus({ status }: { readonly status?: unknown }): string {
  return typeof status === 'string' && status !== '' ? status : 'unknown';
}
