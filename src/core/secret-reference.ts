import { z } from 'zod';

/**
 * An option that refers to a secret; `ChannelDependencies.resolveSecret` reads it. Its metadata `secret` marks it to be
 * masked when a configuration is shown, and survives `describe` and `optional`.
 */
export const secretReference = z
  .union([
    z.string().min(1).describe('The secret itself: works, but "hookbell doctor" warns about it'),
    z.strictObject({ env: z.string().min(1).describe('Name of an environment variable') }),
    z.strictObject({
      file: z.string().min(1).describe('A file that only you may read, with only the secret'),
    }),
    z.strictObject({
      command: z
        .array(z.string())
        .min(1)
        .describe('A program and its arguments; its first line of output is the secret'),
    }),
  ])
  .meta({ secret: true, description: 'A secret: { env }, { file } or { command }' });
