import { BlockList, isIP } from 'node:net';

import { ConfigError } from '../errors.ts';
import { isLocalHost } from '../loopback-address.ts';

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy for a URL, by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; of each the name in lower case takes precedence,
 * even when it is empty. This machine is never reached through a proxy.
 *
 * @returns null where the connection is direct
 * @throws ConfigError when the address of the proxy is not an http or https URL
 */
export function proxyFor(url: URL, env: ProxyEnvironment): URL | null {
  const host = bareHost(url);
  if (isLocalHost(host)) return null;
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const address = valueOf(variable, env);
  if (address === '' || isExempt(host, portOf(url), valueOf('NO_PROXY', env))) return null;
  if (URL.canParse(address)) {
    const proxy = new URL(address);
    if (/^https?:$/.test(proxy.protocol)) return proxy;
  }
  // Not shown: the address of a proxy may hold a password.
  throw new ConfigError(`Cannot use the proxy in ${variable}: it is not an http or https URL`, {
    hint: `Set ${variable} to an address such as http://proxy.example.com:3128; then run "hookbell restart"`,
  });
}

/** Name or address of a URL; an IPv6 address without its brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function portOf({ port, protocol }: URL): string {
  return port === '' ? (DEFAULT_PORTS[protocol] ?? '') : port;
}

function valueOf(name: string, env: ProxyEnvironment): string {
  return (env[name.toLowerCase()] ?? env[name] ?? '').trim();
}

/**
 * Whether `NO_PROXY` names a host, with the rules of Go and curl: entries are separated by commas or blanks; "*" is
 * every host; "example.com" is that host and all below it, ".example.com" and "*.example.com" only those below it; an
 * address or a network such as 10.0.0.0/8 applies to hosts written as addresses; ":8080" at the end means only that
 * port.
 */
function isExempt(host: string, port: string, noProxy: string): boolean {
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => isNamed(host, port, entry.toLowerCase()));
}

function isNamed(host: string, port: string, entry: string): boolean {
  if (entry === '*') return true;
  const [, bracketed, plain, wantedPort] =
    /^(?:\[([^\]]+)\]|([^:]*|[^:]*:[^:]*:.*))(?::(\d+))?$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const wanted = bracketed ?? plain ?? '';
  if (isIP(host) !== 0) return isInNetwork(host, wanted);
  const name = host.replace(/\.$/, '');
  if (/^\*?\./.test(wanted)) return name.endsWith(wanted.replace(/^\*/, ''));
  return wanted !== '' && (name === wanted || name.endsWith(`.${wanted}`));
}

function isInNetwork(host: string, wanted: string): boolean {
  const [network = '', bits] = wanted.split('/');
  const version = isIP(network);
  if (version === 0 || version !== isIP(host)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const most = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > most) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return list.check(host, family);
}
