import { z } from 'zod';

import { isLocalHost } from '../../platform/loopback-address.ts';

/** The fault, as the rest of a sentence without the address, or null. @param allowHttp plain http to other machines as well */
export function addressFault(text: string, allowHttp = false): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const { protocol, username, password, hostname } = new URL(text);
  if (username !== '' || password !== '') return 'contains a user name or password';
  if (protocol === 'https:') return null;
  const isAllowed = allowHttp || isLocalHost(hostname.replace(/^\[|\]$/g, ''));
  if (protocol === 'http:' && isAllowed) return null;
  return 'is not https (plain http goes to this machine only)';
}

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
export function serverFrom(address: string) {
  const { href, hostname } = new URL(address);
  return { server: href.replace(/\/+$/, ''), hostname: hostname.replace(/^\[|\]$/g, '') };
}
