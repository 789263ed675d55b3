// oxlint-disable-next-line no-restricted-imports -- types alone: sockets go through the port
import type { LookupFunction, Socket } from 'node:net';
import type { Agent } from 'undici';

/** A request of `Outbound.fetch`; the same shape as the built-in `fetch` takes, of which only this much is used. */
export interface OutboundRequest {
  readonly method?: string;
  readonly headers?: Headers | Record<string, string>;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** How requests leave this machine: one policy about proxies and certificate authorities for all of hookbell. */
export interface Outbound {
  /** @throws ConfigError when the address of the proxy for it cannot be used */
  isProxied(url: URL): boolean;
  /** For `ca` of node:tls; undefined: Node's defaults. */
  authorities(): string[] | undefined;
  /**
   * Opens a connection to the host of a URL through the proxy for it; with TLS, certificate checked, where the URL is https.
   * Rejects with the error of the system, or with one whose code begins with "ERR_PROXY_".
   */
  tunnel(url: URL, options: TunnelOptions): Promise<Socket>;
  /** Like the built-in `fetch`. */
  fetch(url: string | URL, request: OutboundRequest): Promise<Response>;
  /** For libraries that open connections through undici: its connections follow the same policy. */
  agent(): Promise<Agent>;
  /** Releases connections. */
  close(): Promise<void>;
}

export interface TunnelOptions {
  readonly signal?: AbortSignal;
  /** Resolves the name here, and the proxy gets the address; without it the proxy gets the name. */
  readonly lookup?: LookupFunction;
  /** Replaces `authorities()`. */
  readonly ca?: string;
}

/** @throws ConfigError if the proxy for the address cannot be used */
export function requireProxy(outbound: Pick<Outbound, 'isProxied'>, url: string | URL): void {
  outbound.isProxied(new URL(url));
}
