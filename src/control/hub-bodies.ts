import { z } from 'zod';

import { emailAddress } from '../core/hub/directory.ts';
import { MachinePolicy } from '../core/hub/machine-policy.ts';
import { displayLine } from '../text/sanitize.ts';
import type { HubControlAnswers } from './hub-contract.ts';

const email = z.string().transform((text, context) => {
  const address = emailAddress(text);
  if (address !== null) return address;
  context.issues.push({ code: 'custom', input: text, message: 'is not an email address' });
  return z.NEVER;
});
const label = z
  .string()
  .trim()
  .max(200)
  .nullish()
  .transform((text) => {
    // Nothing is left of a text that cannot be shown.
    const shown = displayLine(text ?? '');
    return shown === '' ? null : shown;
  });
const person = z.strictObject({ email, name: label, team: label });
const source = z.enum(['csv', 'directory']);
const everyone = z.strictObject({ emails: z.array(email).min(1).max(100_000), source });

/** The body of each request that changes something, or has too much for a query. */
export const hubBodies = {
  'POST /v1/hub-policy': MachinePolicy,
  'POST /v1/hub-invite': person,
  'POST /v1/hub-revoke': z.strictObject({ what: z.string().min(1).max(300) }),
  'POST /v1/hub-import': z.strictObject({ people: z.array(person).max(100_000), source }),
  'POST /v1/hub-missing': everyone,
  'POST /v1/hub-prune': everyone.extend({ shown: z.array(email).max(100_000) }),
  'POST /v1/hub-forget': z.strictObject({ email }),
} satisfies Record<Extract<keyof HubControlAnswers, `POST ${string}`>, z.ZodType>;
