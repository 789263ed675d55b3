import { z } from 'zod';

import { bodyDetails } from '../notification.ts';

/** The path under which a machine asks its hub for the policy. */
export const POLICY = '/v1/hub/policy';

/** What the daemon reports about a whole organization. */
export const organizationSources = [
  'digest',
  'budget',
  'computers',
  'readiness',
  'controls',
] as const;

/** What a hub forbids its machines. It can only narrow what their own configuration allows. */
export const MachinePolicy = z.strictObject({
  /** Channels show at most this much of an agent's text. */
  text: z.enum(bodyDetails).exactOptional(),
  /** Secrets are removed from notifications and from the history, and so from what is sent to the hub. */
  redact: z.literal(true).exactOptional(),
  /** Only channels of these types notify; the inbox always does. */
  channels: z.array(z.string().min(1).max(64)).max(64).exactOptional(),
  /** Only the hub reports these, so that an organization gets them once. */
  hubOnly: z.array(z.enum(organizationSources)).max(organizationSources.length).exactOptional(),
});
export type MachinePolicy = z.output<typeof MachinePolicy>;

export const PolicyInForce = z.object({
  /** Grows with each change: the time of the change by the clock of the hub's database, Unix ms. */
  version: z.int().positive(),
  /** A `MachinePolicy`, or that of a newer hookbell. */
  policy: z.record(z.string(), z.unknown()),
});
export type PolicyInForce = z.output<typeof PolicyInForce>;

export const PolicyRequest = z.object({ version: z.literal(1) });

/** Null: none was ever set. */
export const PolicyAnswer = z.object({ version: z.literal(1), policy: PolicyInForce.nullable() });
export type PolicyAnswer = z.output<typeof PolicyAnswer>;
