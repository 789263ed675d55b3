/** Where a daemon relays to. */
export type RelayAddress =
  /** A unix socket of this machine; the path as it is written. */
  | { readonly type: 'socket'; readonly path: string }
  | {
      readonly type: 'url';
      readonly secure: boolean;
      readonly host: string;
      readonly port: number;
    };

/**
 * Reads what people write: "https://HOST:PORT", "http://127.0.0.1:PORT", or the path of a unix socket.
 *
 * @returns what is wrong with it, as the end of a sentence, where it is no address
 */
export function parseRelayAddress(text: string): RelayAddress | string {
  if (/^(?:\/|~\/|[A-Za-z]:\\|\\\\\.\\pipe\\)/.test(text)) return { type: 'socket', path: text };
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'is neither "https://HOST:PORT" nor the absolute path of a unix socket';
  }
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(text);
  if (pathname !== '/' || [search, hash, username, password].some((part) => part !== '')) {
    return 'holds more than a host and a port';
  }
  const secure = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  if (!secure && host === 'localhost') {
    return 'names "localhost", which may be another user\'s server on [::1]: write http://127.0.0.1:PORT';
  }
  if (!secure && !isLoopback(host)) {
    return 'goes to another machine without TLS: write https, or forward a unix socket with "ssh -R"';
  }
  return { type: 'url', secure, host, port: Number(port) || (secure ? 443 : 80) };
}

/** True for hosts that only programs of this machine reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
