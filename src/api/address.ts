/**
 * Checks an address of the service. A path prefix stays, slashes at the end go.
 *
 * @param name of the option, for the message
 * @throws TypeError when it is no http(s) URL, or holds a user name, a query or a fragment
 */
export function checkAddress(name: string, address: string): string {
  if (!URL.canParse(address)) throw new TypeError(`Cannot use ${name}: it is not a URL`);
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new TypeError(`Cannot use ${name}: it begins with "${url.protocol}", expected "https:"`);
  }
  // A password or a token in an address would end up in logs and errors.
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`Cannot use ${name}: it holds a user name or a password`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError(`Cannot use ${name}: it holds a query or a fragment`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The whole address of a request. */
export function urlOf(
  address: string,
  path: string,
  query: Readonly<Record<string, string>>,
): string {
  const search = new URLSearchParams(query).toString();
  return `${address}${path}${search === '' ? '' : `?${search}`}`;
}

/** Whether requests to an address leave this machine without TLS. */
export function isPlainHttp(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
