import { BlockList, isIP } from 'node:net';

/** The network of an address such as "10.0.0.7" or "10.0.0.0/24"; null if it is not one, or is the network of all addresses. */
export function parseNetwork(
  text: string,
): { readonly address: string; readonly bits: number } | null {
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || more.length > 0) return null;
  const most = version === 4 ? 32 : 128;
  if (prefix === undefined) return { address, bits: most };
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return bits >= 1 && bits <= most ? { address, bits } : null;
}

/**
 * Whom a request comes from. Everyone can write the header X-Forwarded-For, so only what a known proxy appended to it
 * counts: it is read from the end, as long as the hops are known proxies.
 *
 * @param peer the address at the other end of the connection
 * @param forwardedFor the header, with all its occurrences
 * @param proxies addresses and networks
 */
export function clientAddress(
  peer: string,
  forwardedFor: string,
  proxies: readonly string[],
): string {
  const known = new BlockList();
  for (const proxy of proxies) {
    const network = parseNetwork(proxy);
    if (network !== null) known.addSubnet(network.address, network.bits, familyOf(proxy));
  }
  const isKnown = (address: string): boolean =>
    isIP(address) !== 0 && known.check(address, familyOf(address));
  let client = plainAddress(peer) ?? peer;
  for (const hop of forwardedFor.split(',').toReversed()) {
    if (!isKnown(client)) break;
    const address = plainAddress(hop.trim());
    if (address === null) break;
    client = address;
  }
  return client;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Without a port, in the one way to write it; null for anything else than an address. */
function plainAddress(text: string): string | null {
  const [, inBrackets, mapped, withPort] =
    /^(?:\[([^\]]*)\](?::\d+)?|::ffff:(\d+(?:\.\d+){3})|(\d+(?:\.\d+){3}):\d+)$/i.exec(text) ?? [];
  const address = inBrackets ?? mapped ?? withPort ?? text;
  if (isIP(address) === 4) return address;
  if (isIP(address) !== 6 || address.includes('%')) return null;
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
