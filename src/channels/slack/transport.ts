import type { FetchFunction } from '@slack/webhook';
import { ConfigError } from '../../core/errors.ts';

type FetchInit = NonNullable<Parameters<FetchFunction>[1]>;

/** The part of an answer this channel reads, of the built-in fetch or of undici's. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** How requests leave the machine: straight, or through the proxy of the environment. */
export interface Transport {
  readonly proxied: boolean;
  fetch(url: string | URL, init: FetchInit & { body: string }): Promise<FetchAnswer>;
  close(): Promise<void>;
}

/**
 * Opens the way to Slack. Node 20's own fetch ignores HTTPS_PROXY: undici does it, and is loaded only for that.
 *
 * @throws ConfigError when the proxy's address is not an http or https URL
 */
export async function openTransport(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Transport> {
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '';
  if (httpsProxy === '') {
    return { proxied: false, fetch: (url, init) => fetch(url, init), close: async () => {} };
  }
  if (!URL.canParse(httpsProxy) || !/^https?:$/.test(new URL(httpsProxy).protocol)) {
    // Not shown: the address of a proxy may hold a password.
    throw new ConfigError('Cannot use the proxy in HTTPS_PROXY: it is not an http or https URL', {
      hint: 'Set HTTPS_PROXY to an address such as http://proxy.example.com:3128',
    });
  }
  const { EnvHttpProxyAgent, fetch: undiciFetch } = await import('./proxying-fetch.ts');
  const noProxy = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  // All three are given, else it would look into process.env for those left out.
  const dispatcher = new EnvHttpProxyAgent({ httpsProxy, httpProxy: '', noProxy });
  return {
    proxied: true,
    fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }),
    close: () => dispatcher.destroy(),
  };
}
