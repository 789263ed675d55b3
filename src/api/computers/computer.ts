import { z } from 'zod';
import { ComputerId, EpochUnknown, incompleteEnum, openEnum, text } from '../schema-parts.ts';
import { Secret } from '../secret.ts';

export const ProvisioningStep = z.looseObject({
  id: text,
  name: text,
  /** Its values are not shown; see `stepState`. */
  status: text,
  error: text,
  /** The session that runs the step. */
  installSessionId: text,
  startedAt: EpochUnknown.nullish(),
  completedAt: EpochUnknown.nullish(),
});
export type ProvisioningStep = z.infer<typeof ProvisioningStep>;

/** Whoever has the address of a relay may reach the computer, so both are secrets. */
const relayAddress = z.instanceof(Secret).nullish();

export const Computer = z.looseObject({
  id: ComputerId,
  name: z.string(),
  // The name of the hosted provider is left out of the interface.
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
