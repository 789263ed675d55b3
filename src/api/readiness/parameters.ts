import { z } from 'zod';
import { textParameter } from '../checks.ts';

export const ListReportsParameters = z.strictObject({
  repoId: textParameter.optional().describe('Id of a repository'),
  limit: z
    .int('expected a positive whole number')
    .positive('expected a positive whole number')
    .optional()
    .describe('Page size'),
  startAfter: textParameter.optional().describe('Where to go on: reportId of the last report'),
});
