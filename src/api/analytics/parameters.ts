import { z } from 'zod';
import { dayParameter, limitParameter } from '../checks.ts';

const range = {
  startDate: dayParameter.describe('First day, YYYY-MM-DD, UTC; data begins on 2026-01-14'),
  endDate: dayParameter.describe('Last day, YYYY-MM-DD, UTC; yesterday at the latest'),
};

function groupBy<const Dimension extends string>(dimension: Dimension) {
  return z
    .literal(dimension, `expected "${dimension}"`)
    .optional()
    .describe(`One row a day for each ${dimension}`);
}

export const TokenParameters = z.strictObject({ ...range, group_by: groupBy('model') });
export const ToolParameters = z.strictObject({ ...range, group_by: groupBy('tool_name') });
export const ActivityParameters = z.strictObject({ ...range, group_by: groupBy('client') });
export const ProductivityParameters = z.strictObject(range);
export const UserParameters = z.strictObject({
  ...range,
  limit: limitParameter.optional().describe('Page size, 1 to 100; the service takes 20'),
  cursor: z.string().optional().describe('Where to go on: meta.next_cursor of the same range'),
});
