import { z } from 'zod';

import { addressFault } from './web-address.ts';

/** An option for the address of a server: https, or plain http to this machine; nothing secret in it. */
export const serverAddress = z.string().superRefine((text, check) => {
  const fault = serverFault(text);
  if (fault !== null) check.addIssue({ code: 'custom', message: fault });
});

function serverFault(text: string): string | null {
  const fault = addressFault(text);
  if (fault === 'contains a user name or password') return `${fault}: use "token"`;
  return fault ?? (/[?#]/.test(text) ? 'has a query or a fragment' : null);
}

/** A valid address without a final slash, and its host, which may be shown. */
export function serverFrom(address: string): {
  readonly server: string;
  readonly hostname: string;
} {
  const url = new URL(address);
  return {
    server: url.href.replace(/\/+$/, ''),
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
  };
}
