import type { Agent } from 'node:http';
import { Socket } from 'node:net';

import type { RelayAddress } from '../core/relay.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';

interface ProxiedOptions {
  /** PEM of the one trusted certificate; null: those of `outbound`. */
  readonly certificate: string | null;
  readonly outbound: Pick<Outbound, 'isProxied' | 'tunnel'>;
}

/** Lets an agent connect through the proxy, if the address has one. @throws ConfigError when it cannot be used */
export function throughProxy(
  agent: Agent,
  { secure, host, port }: Extract<RelayAddress, { readonly type: 'url' }>,
  { outbound, certificate }: ProxiedOptions,
): void {
  const name = host.includes(':') ? `[${host}]` : host;
  const url = new URL(`${secure ? 'https' : 'http'}://${name}:${port}`);
  if (!outbound.isProxied(url)) return;
  agent.createConnection = (_options, done) => {
    void (async () => {
      try {
        done?.(null, await outbound.tunnel(url, certificate === null ? {} : { ca: certificate }));
      } catch (error) {
        // After an error the second is ignored.
        done?.(error instanceof Error ? error : new Error('No connection'), new Socket());
      }
    })();
    return undefined;
  };
}
