/**
 * Checks an address of the service. A path prefix stays, slashes at the end go.
 *
 * @param name of the option, for the message
 * @throws TypeError when it is not an http(s) URL, or holds a user name, a query or a fragment
 */
export function checkAddress(name: string, address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  if (!URL.canParse(address)) throw new TypeError(`Cannot use ${name}: it is not a URL`);
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new TypeError(`Cannot use ${name}: it begins with "${url.protocol}", expected "https:"`);
  }
  // A password or token in an address would appear in logs and errors.
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`Cannot use ${name}: it contains a user name or a password`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError(`Cannot use ${name}: it contains a query or a fragment`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

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

/** The names in a path template: `/a/{b}` gives `b`. */
export function namesInPath(template: string): string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/**
 * Puts values into a path template, each as exactly one segment.
 *
 * @throws RangeError on an empty value, and on `.` and `..`, which an address would resolve to another route
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value !== 'string' || value === '') throw new RangeError(`${name} is empty`);
    if (value === '.' || value === '..') throw new RangeError(`${name} is "${value}"`);
    if (!value.isWellFormed()) throw new RangeError(`${name} is not valid Unicode`);
    return encodeURIComponent(value);
  });
}

/**
 * Checks a typed path: it must stay below the address it is joined to.
 *
 * @throws RangeError when it is not absolute, names a host, or holds dot segments, encoded or not
 */
export function checkRawPath(path: string): void {
  if (!path.startsWith('/')) throw new RangeError(`path "${path}" does not begin with "/"`);
  if (path.startsWith('//') || path.includes('\\')) {
    throw new RangeError(`path "${path}" names a host`);
  }
  if (/[\s?#]/.test(path)) {
    throw new RangeError(`path "${path}" has a blank, "?" or "#": give the query apart`);
  }
  const segments = path.split('/').map((segment) => segment.replaceAll(/%2e/gi, '.'));
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw new RangeError(`path "${path}" has a dot segment`);
  }
}
