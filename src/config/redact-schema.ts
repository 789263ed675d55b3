import { z } from 'zod';

const onOrOff = z.enum(['on', 'off']);

/** The section `redact`. */
export const redactSchema = z
  .strictObject({
    notifications: onOrOff
      .default('on')
      .describe(
        'Whether what looks like a secret is taken out of every text that is shown or sent',
      ),
    history: onOrOff
      .default('off')
      .describe(
        'Whether it is taken out before an event is remembered, too: then nothing can show it',
      ),
    prefixes: z
      .array(
        z.string().regex(/^[A-Za-z0-9][\w-]{2,31}$/, {
          error: 'is no beginning of a token: 3 to 32 letters, digits, "_" and "-" only',
        }),
      )
      .max(50)
      .default([])
      .describe('Beginnings of your own tokens, besides the well-known ones'),
    keys: z
      .array(
        z.string().regex(/^[A-Za-z][\w-]{2,31}$/, {
          error: 'is no name of a value: 3 to 32 letters, digits, "_" and "-" only, a letter first',
        }),
      )
      .max(50)
      .default([])
      .describe('Names of values that are secret, besides "password", "token" and their like'),
  })
  .prefault({});
