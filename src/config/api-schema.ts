import { z } from 'zod';

import { secretReference } from '../core/secret-reference.ts';
import { duration, size } from './units.ts';

/** An address a client can join paths to: a password or a token in it would end up in logs. */
const address = z
  .url({
    protocol: /^https?$/,
    error: 'is not a URL that begins with http:// or https://',
  })
  .refine(isBare, { error: 'holds a user name, a query or a fragment, expected an address alone' });

/** The section about the HTTP interface. */
export const apiSchema = z.strictObject({
  base_url: address
    .refine((text) => !/\/api\/v\d+\/*$/.test(text), {
      error: 'ends in the path of the interface, which every request adds: leave "/api/v0" out',
    })
    .exactOptional()
    .describe('Address of analytics, sessions, computers and the organization'),
  app_url: address
    .exactOptional()
    .describe('Address of readiness reports, and of the page where API keys are made'),
  key: secretReference.exactOptional().describe('The API key'),
  jwt: secretReference
    .exactOptional()
    .describe('An access token, which takes the place of the key for everything below /api/v0'),
  readiness_path: z
    .string()
    .regex(/^\/(?!\/)[^\s?#\\%]*$/, {
      error: 'is no path: it begins with one "/" and has no blank, "?", "#", "%" or "\\"',
    })
    .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), {
      error: 'has a dot segment',
    })
    .exactOptional()
    .describe('Path of the readiness reports, where it is not the documented one'),
  allow_http: z
    .boolean()
    .default(false)
    .describe('Send the key without TLS to addresses of other machines that begin with http://'),
  max_message_size: size({ min: '1kB' })
    .exactOptional()
    .describe('Replies with more text, images and files are refused before they are sent'),
  hold_stop_while_running: z
    .union([z.boolean(), duration({ min: '1s', max: '10m' })])
    .default(false)
    .describe(
      'The end of a turn waits so long while the service says that the session still runs; true: 20s',
    ),
  hold_stop_then: z
    .enum(['tell', 'drop'])
    .default('tell')
    .describe(
      'What becomes of it when the session runs even then: "tell" says that it still works, "drop" tells nobody',
    ),
});
export type ApiOptions = z.output<typeof apiSchema>;

function isBare(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === '');
}
