import { z } from 'zod';

import { secretReference } from '../core/secret-reference.ts';
import { duration, size } from './units.ts';

/** A base address to which the client appends paths. Without credentials, because they would end up in logs. */
const address = z
  .url({
    protocol: /^https?$/,
    error: 'is not a URL that begins with http:// or https://',
  })
  .refine(isBare, {
    error: 'contains a user name, a query or a fragment, expected only an address',
  });

/** The section about the HTTP interface. */
export const apiSchema = z.strictObject({
  base_url: address
    .refine((text) => !/\/api\/v\d+\/*$/.test(text), {
      error: 'ends in "/api/v0", which every request adds: remove it',
    })
    .exactOptional()
    .describe('Base address for analytics, sessions, computers and the organization'),
  app_url: address
    .exactOptional()
    .describe('Base address for readiness reports and the page that creates API keys'),
  key: secretReference.exactOptional().describe('The API key'),
  jwt: secretReference
    .exactOptional()
    .describe('Access token, used instead of the key for everything below /api/v0'),
  readiness_path: z
    .string()
    .regex(/^\/(?!\/)[^\s?#\\%]*$/, {
      error: 'is not a path: start it with one "/" and use no space, "?", "#", "%" or "\\"',
    })
    .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), {
      error: 'contains a dot segment',
    })
    .exactOptional()
    .describe('Path of the readiness reports, if it differs from the documented one'),
  allow_http: z
    .boolean()
    .default(false)
    .describe('Send the key without TLS to http:// addresses of other machines'),
  max_message_size: size({ min: '1kB' })
    .exactOptional()
    .describe('Refuse to send replies whose text, images and files together exceed this size'),
  hold_stop_while_running: z
    .union([z.boolean(), duration({ min: '1s', max: '10m' })])
    .default(false)
    .describe(
      'Hold the end of a turn for at most this long while the service reports the session as running; true: 20s',
    ),
  hold_stop_then: z
    .enum(['tell', 'drop'])
    .default('tell')
    .describe(
      'Action if the session still runs after that: "tell" sends a notification that it is still working, "drop" sends nothing',
    ),
});
export type ApiOptions = z.output<typeof apiSchema>;

function isBare(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === '');
}
