import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** IPv4 networks that are not the public internet (https://www.iana.org/assignments/iana-ipv4-special-registry). */
const special4 = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  special4.addSubnet(network, prefix);
}

/** Of IPv6 only this network is public … */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** … but for these in it (https://www.iana.org/assignments/iana-ipv6-special-registry): 6to4 and Teredo hide IPv4 addresses. */
const special6 = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  special6.addSubnet(network, prefix, 'ipv6');
}

/** Not this machine, a private or link-local network, or the metadata service of a cloud, in any notation. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special4.check(address, 'ipv4');
  if (version !== 6) return false;
  const embedded = embeddedIpv4(address);
  if (embedded !== null) return isPublicAddress(embedded);
  const bare = withoutZone(address);
  return global6.check(bare, 'ipv6') && !special6.check(bare, 'ipv6');
}

/** The IPv4 address inside a mapped (::ffff:0:0/96) or translated (64:ff9b::/96, NAT64) one, or null. */
function embeddedIpv4(address: string): string | null {
  // A URL writes every notation of an address the same way.
  const { hostname } = new URL(`http://[${withoutZone(address)}]`);
  const match = /^\[(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})\]$/.exec(hostname);
  if (match === null) return null;
  const high = Number.parseInt(match[1] ?? '0', 16);
  const low = Number.parseInt(match[2] ?? '0', 16);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

/** Thrown when a name has an address that is not public. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

export const systemLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, callback);
};

/**
 * A name lookup for a socket that refuses a name if any of its addresses is not public. The socket connects to the
 * result of this call, so a name that changes its address between a check and the connection (DNS rebinding) gains
 * nothing. Sockets look up only names: the caller has to check an address.
 */
export function publicLookup(resolve: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const addresses = Array.isArray(found) ? found : [];
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new PrivateAddressError('The name has an address that is not public'), []);
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
