import { z } from 'zod';

/** The path to which a machine sends `EnrolBody`, unsigned and over TLS. */
export const ENROL = '/v1/hub/enrol';

export const EnrolBody = z.object({
  version: z.literal(1),
  /** As it was typed. */
  code: z.string().max(100),
  machine: z.string().regex(/^[A-Za-z0-9][\w-]{0,31}$/),
  /** The hash of the token that the machine has made. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
});
export type EnrolBody = z.output<typeof EnrolBody>;

export const EnrolAnswer = z.object({
  version: z.literal(1),
  machine: z.string(),
  /** The email address of the person the machine now belongs to. */
  person: z.string(),
});
