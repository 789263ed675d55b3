import { isLocalHost } from '../../platform/loopback-address.ts';

/**
 * The fault of an address for requests, as the rest of a sentence and without the address, which may be a secret; null:
 * it can be used.
 *
 * @param allowHttp plain http to other machines as well
 */
export function addressFault(text: string, allowHttp = false): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const { protocol, username, password, hostname } = new URL(text);
  if (username !== '' || password !== '') return 'contains a user name or password';
  if (protocol === 'https:') return null;
  const isAllowed = allowHttp || isLocalHost(hostname.replace(/^\[|\]$/g, ''));
  if (protocol === 'http:' && isAllowed) return null;
  return 'is not https (plain http goes to this machine only)';
}
