import { z } from 'zod';

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** An option for the address of a server: https, or plain http to this machine; nothing secret in it. */
export const serverAddress = z.string().superRefine((text, check) => {
  const fault = serverFault(text);
  if (fault !== null) check.addIssue({ code: 'custom', message: fault });
});

function serverFault(text: string): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    return 'holds a user name or password: use "token"';
  }
  if (url.search !== '' || url.hash !== '') return 'has a query or a fragment';
  if (url.protocol === 'https:') return null;
  const isLocal = url.protocol === 'http:' && loopbackHosts.has(url.hostname);
  return isLocal ? null : 'is not https (plain http goes to this machine only)';
}

/** A valid address without a final slash, and its host, which may be shown. */
export function serverOf(address: string): { readonly server: string; readonly hostname: string } {
  const url = new URL(address);
  return {
    server: url.href.replace(/\/+$/, ''),
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
  };
}
