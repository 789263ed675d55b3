import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type LookupFunction, type Socket, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

import type { TunnelOptions } from './outbound-port.ts';
import { bareHost, portOf } from './proxy-policy.ts';

/** Timeout for a proxy to open the connection, ms. */
const CONNECT_MS = 10_000;

/** Thrown when a proxy opens no connection; no byte of the request was sent then. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: 'ERR_PROXY_UNREACHABLE' | 'ERR_PROXY_REFUSED' | 'ERR_PROXY_LOGIN';

  constructor(code: ProxyError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** By CONNECT, and with TLS inside for https: the proxy sees a name, never a key or a text. */
export async function openTunnel(
  url: URL,
  proxy: URL,
  { signal, lookup, ca }: Omit<TunnelOptions, 'ca'> & { ca: string | string[] | undefined },
): Promise<Socket> {
  signal?.throwIfAborted();
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(
    () => stopping.abort(new ProxyError('ERR_PROXY_UNREACHABLE', 'The proxy took too long')),
    CONNECT_MS,
  );
  try {
    const host = bareHost(url);
    const address = lookup === undefined || isIP(host) !== 0 ? host : await addressOf(host, lookup);
    const target = `${isIP(address) === 6 ? `[${address}]` : address}:${portOf(url)}`;
    const socket = await askProxy(proxy, target, ca, stopping.signal);
    return url.protocol === 'https:' ? await secure(socket, host, ca, stopping.signal) : socket;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Of a part of a URL; a "%" that encodes nothing stands for itself. */
function plainText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function addressOf(host: string, lookup: LookupFunction): Promise<string> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: false }, (error, found) => {
      if (error !== null) return reject(error);
      resolve(Array.isArray(found) ? (found[0]?.address ?? '') : found);
    });
  });
}

function askProxy(
  proxy: URL,
  target: string,
  ca: string | string[] | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const { protocol, username, password } = proxy;
  const login = `${plainText(username)}:${plainText(password)}`;
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  const connecting = (protocol === 'https:' ? requestHttps : requestHttp)({
    host: bareHost(proxy),
    port: portOf(proxy),
    method: 'CONNECT',
    path: target,
    headers: {
      host: target,
      ...(username !== '' && { 'proxy-authorization': authorization }),
    },
    agent: false,
    ca,
    rejectUnauthorized: true,
  });
  return new Promise((resolve, reject) => {
    const proceed = rejectOnAbort(signal, connecting, reject);
    connecting.on('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      proceed();
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      reject(
        statusCode === 407
          ? new ProxyError('ERR_PROXY_LOGIN', 'The proxy refused the login')
          : new ProxyError('ERR_PROXY_REFUSED', `The proxy answered ${statusCode}`),
      );
    });
    connecting.on('error', (cause) => {
      proceed();
      reject(new ProxyError('ERR_PROXY_UNREACHABLE', 'The proxy cannot be reached', { cause }));
    });
    connecting.end();
  });
}

function secure(
  socket: Socket,
  host: string,
  ca: string | string[] | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      socket,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
    const proceed = rejectOnAbort(signal, secured, reject);
    secured.once('error', (error) => {
      proceed();
      socket.destroy();
      reject(error);
    });
    secured.once('secureConnect', () => {
      proceed();
      resolve(secured);
    });
  });
}

/** Rejects with the reason of the signal, and destroys what is under way. Returns how to stop that. */
function rejectOnAbort(
  signal: AbortSignal,
  underWay: { destroy(): unknown },
  reject: (reason: Error) => void,
): () => void {
  const stop = (): void => {
    const reason: unknown = signal.reason;
    reject(reason instanceof Error ? reason : new Error('Stopped', { cause: reason }));
    underWay.destroy();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}
