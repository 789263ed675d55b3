import type { RelayPolicy } from '../core/policy.ts';
import { parseRelayAddress } from '../core/relay-address.ts';
import type { ListenConfig, RelayConfig } from './config.ts';
import type { ConfigOptions } from './schema.ts';

/** What the section about relaying means; null where there is none. */
export function relayConfigOf({ relay }: ConfigOptions): RelayConfig | null {
  if (relay === undefined) return null;
  const address = parseRelayAddress(relay.to);
  if (typeof address === 'string') throw new Error('The schema took what is no address');
  const { to, token, certificate = null } = relay;
  return { to, address, token, certificate };
}

/** What of it the decisions know. */
export function relayPolicyOf({ relay }: ConfigOptions): RelayPolicy | null {
  return relay === undefined ? null : { to: relay.to, ringHere: relay.ring_here };
}

/** What the section about other machines means; null where there is none. */
export function listenConfigOf({ listen }: ConfigOptions): ListenConfig | null {
  if (listen === undefined) return null;
  const { socket = null, port, host = '127.0.0.1', certificate, key } = listen;
  return {
    socket,
    tcp: port === undefined ? null : { host, port },
    tls: certificate === undefined || key === undefined ? null : { certificate, key },
  };
}
