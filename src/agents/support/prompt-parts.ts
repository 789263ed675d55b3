import { z } from 'zod';

/** A prompt as Kimi Code sends it: parts, of which those with a text count. */
export const PromptParts = z
  .array(z.object({ text: z.string().optional() }))
  .transform((parts) => parts.flatMap(({ text }) => text ?? []).join('\n'));
