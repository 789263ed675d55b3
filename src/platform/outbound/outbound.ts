import type { Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { Agent } from 'undici';

import type { Outbound, OutboundRequest, TunnelOptions } from './outbound-port.ts';
import { type ProxyEnvironment, proxyFor } from './proxy-policy.ts';

export interface OutboundOptions {
  /** Holds `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case. */
  readonly env: ProxyEnvironment;
  /** Certificates in PEM trusted besides Node's defaults, at this moment; null: none. */
  readonly authorities?: () => string | null;
}

/** Creates the outbound port. Nothing is opened, loaded or checked before the first use. */
export function createOutbound({ env, authorities = () => null }: OutboundOptions): Outbound {
  let agent: Promise<Agent> | null = null;

  function trusted(): string[] | undefined {
    const pem = authorities();
    return pem === null ? undefined : [...rootCertificates, pem];
  }

  async function tunnel(url: URL, { ca, ...options }: TunnelOptions): Promise<Socket> {
    const proxy = proxyFor(url, env);
    if (proxy === null) throw new TypeError('No proxy is configured for this address');
    const { openTunnel } = await import('./tunnel.ts');
    return openTunnel(url, proxy, { ...options, ca: ca ?? trusted() });
  }

  /** Node 20's own `fetch` follows no proxy and takes no authority; undici's gets each connection here. */
  async function openAgent(): Promise<Agent> {
    const { Agent: UndiciAgent, buildConnector } = await import('./undici.ts');
    return new UndiciAgent({
      connect: (target, done) => {
        const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
        if (!proxyFor(url, env)) {
          const ca = trusted();
          const options = { rejectUnauthorized: true, ...(ca !== undefined && { ca }) };
          return buildConnector(options)(target, done);
        }
        void handOver(tunnel(url, {}), done);
      },
    });
  }

  async function fetchThere(url: string | URL, request: OutboundRequest): Promise<Response> {
    if (proxyFor(new URL(url), env) === null && authorities() === null) return fetch(url, request);
    agent ??= openAgent();
    const { fetch: undiciFetch } = await import('./undici.ts');
    const { headers, ...rest } = request;
    const response = await undiciFetch(url, {
      ...rest,
      ...(headers !== undefined && { headers: Object.fromEntries(new Headers(headers)) }),
      dispatcher: await agent,
    });
    const { status } = response;
    // These have no body, and a response constructed with one would be rejected.
    const isBare = status === 204 || status === 205 || status === 304;
    return new Response(isBare ? null : response.body, { status, headers: [...response.headers] });
  }

  return {
    isProxied: (url) => proxyFor(url, env) !== null,
    authorities: trusted,
    tunnel,
    fetch: fetchThere,
    agent: () => (agent ??= openAgent()),
    async close() {
      const open = agent;
      agent = null;
      await (await open)?.destroy();
    },
  };
}

/** Passes a connection, or the reason for its failure, to a callback in Node's style. */
export async function handOver(
  connection: Promise<Socket>,
  done: (...result: [Error, null] | [null, Socket]) => void,
): Promise<void> {
  let socket: Socket;
  try {
    socket = await connection;
  } catch (error) {
    return done(error instanceof Error ? error : new Error('No connection'), null);
  }
  done(null, socket);
}
