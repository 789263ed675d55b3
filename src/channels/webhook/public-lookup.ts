import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Thrown when a name has an address that is not public. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/** Resolves names as every program of this machine does. */
export const systemLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, callback);
};

/**
 * A name lookup for a socket that refuses a name when any of its addresses is not public. The socket connects to
 * what this very call returned, so a name that changes its address between a check and the connection (DNS
 * rebinding) gains nothing. Sockets look up names only: an address is for the caller to check.
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
