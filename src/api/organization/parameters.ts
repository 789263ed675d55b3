import { z } from 'zod';
import { emailParameter, limitParameter } from '../checks.ts';

/** Of the two lists of this family. */
export const PageParameters = z.strictObject({
  limit: limitParameter.optional().describe('Page size, 1 to 100'),
  cursor: z.string().optional().describe('Where to go on: nextCursor of the last page'),
});

/** Most entries one request may hold. */
export const MAX_LIMIT_ENTRIES = 100;

export const LimitEntry = z.strictObject({
  email: emailParameter.describe('The user'),
  // zod's numbers are finite. Null removes a limit at the vendor, though the interface says number: `setLimits`
  // sends it only on request.
  limit: z.number('expected a finite number').nullable().describe('Standard credits'),
});
export type LimitEntry = z.infer<typeof LimitEntry>;

export const SetLimitsParameters = z.strictObject({
  users: z
    .array(LimitEntry)
    .min(1, 'expected 1 to 100 entries')
    .max(MAX_LIMIT_ENTRIES, 'expected 1 to 100 entries')
    .describe('Limits by e-mail, 1 to 100'),
});
