import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';

import { limitWarnings } from '../platform/log.ts';
import { evictSilent } from '../platform/loopback-server.ts';
import { receiveRequest, type ReceiverOptions } from './receiver.ts';

/** PEM texts. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
}

const MAX_CONNECTIONS = 64;
const MAX_HEADER = 8_192;
const OLDEST_TLS = 'TLSv1.2';

/**
 * The server that accepts relayed events, not listening yet.
 *
 * @throws Error of Node when certificate and key are none, or do not belong together
 */
export function createRelayServer(options: ReceiverOptions, tls: ServerTls | null): Server {
  const limits = { maxHeaderSize: MAX_HEADER, connectionsCheckingInterval: 1_000 };
  // Refused requests cost the sender nothing: they must not fill the log.
  const limited = { ...options, log: limitWarnings(options.log, options.now) };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void receiveRequest(request, response, limited);
  const server =
    tls === null
      ? createServer(limits, listener)
      : createSecureServer({ ...limits, ...tls, minVersion: OLDEST_TLS }, listener);
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = 5_000;
  // A large batch over a slow line.
  server.requestTimeout = 120_000;
  server.keepAliveTimeout = 30_000;
  evictSilent(server, { unfinishedBodies: 'busy' });
  return server;
}

/**
 * Uses a new certificate for new connections; open ones continue.
 *
 * @throws Error of Node when certificate and key are none, or do not belong together: the former ones stay in force
 */
export function renewTls(server: Server, tls: ServerTls): void {
  if (server instanceof SecureServer) {
    server.setSecureContext({ ...tls, minVersion: OLDEST_TLS });
  }
}
