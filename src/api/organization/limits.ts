import { z } from 'zod';
import { number, text } from '../schema-parts.ts';

/** The answer of one request that sets credit limits. */
export const LimitsAnswer = z.looseObject({
  updated: z.array(z.looseObject({ email: z.string(), limit: number })),
  errors: z.array(z.looseObject({ email: z.string(), error: text })),
});
export type LimitsAnswer = z.infer<typeof LimitsAnswer>;
