import { z } from 'zod';

import { UsageError } from '../core/errors.ts';

/** Names some things, or all of them. */
export const idsBody = z.union([
  z.strictObject({ ids: z.array(z.string()).min(1) }),
  z.strictObject({ all: z.literal(true) }),
]);

/** @throws UsageError when the body of a control request has another shape */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new UsageError(`The request is malformed: ${z.prettifyError(parsed.error)}`);
}
