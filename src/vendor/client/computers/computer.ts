import { z } from 'zod';

import { Secret } from '../hide-secrets.ts';
import {
  ComputerId,
  EpochUnknown,
  incompleteEnum,
  openEnum,
  shortText,
  text,
  textParameter,
} from '../schema-parts.ts';

const computerId = textParameter.describe('Id of the computer');

export const ListComputersParameters = z.strictObject({});
export const ComputerParameters = z.strictObject({ computerId });
export const ComputerNameParameters = z.strictObject({
  name: shortText.describe('Name of the computer, 1 to 63 characters'),
});
export const UpdateComputerParameters = z
  .strictObject({
    computerId,
    name: shortText.optional().describe('New name, 1 to 63 characters'),
    hostId: z.guid('expected a UUID').optional().describe('UUID of the host'),
    remoteUser: shortText.optional().describe('User on the computer, 1 to 63 characters'),
  })
  .refine(
    ({ name, hostId, remoteUser }) => (name ?? hostId ?? remoteUser) !== undefined,
    'expected name, hostId or remoteUser',
  );

export const ProvisioningStep = z.looseObject({
  id: text,
  name: text,
  /** Its values are not documented; see `stepState`. */
  status: text,
  error: text,
  /** The session that runs the step. */
  installSessionId: text,
  startedAt: EpochUnknown.nullish(),
  completedAt: EpochUnknown.nullish(),
});
export type ProvisioningStep = z.infer<typeof ProvisioningStep>;

/** The address of a relay gives access to the computer, so both are secrets. */
const relayAddress = z.instanceof(Secret).nullish();

export const Computer = z.looseObject({
  id: ComputerId,
  name: z.string(),
  // The interface omits the name of the hosted provider.
  providerType: incompleteEnum(['byom']),
  createdAt: EpochUnknown,
  hostId: text,
  hostname: text,
  status: openEnum(['provisioning', 'active', 'error']).nullish(),
  provisioningSteps: z.array(ProvisioningStep).nullish(),
  relayClientUrl: relayAddress,
  relayAgentUrl: relayAddress,
  remoteUser: text,
  ownerPrincipalKind: text,
  ownerId: text,
});
export type Computer = z.infer<typeof Computer>;

export const ComputerList = z.looseObject({ computers: z.array(Computer) });

/**
 * State of a step. Values of its `status` are not documented: it failed if it has an error or a status of failure, and it is
 * done once it has an end.
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

/** Display text of a computer's status, which the service may omit. */
export function computerStatus({ status }: { readonly status?: unknown }): string {
  return typeof status === 'string' && status !== '' ? status : 'unknown';
}
