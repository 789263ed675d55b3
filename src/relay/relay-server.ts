import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';

import { limitWarnings } from '../platform/log.ts';
import { createBoundedServer } from '../platform/http/http-server.ts';
import { receiveRequest, type ReceiverOptions } from './receiver.ts';

/** PEM texts. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
}

const MAX_HEADER = 8_192;
/** The machines of a team; some of them wait for answers. */
const HUB_CONNECTIONS = { most: 10_000, silent: 5_000 };
const OLDEST_TLS = 'TLSv1.2';

/**
 * The server that accepts relayed events, not listening yet.
 *
 * @throws Error of Node when certificate or key is invalid, or they do not belong together
 */
export function createRelayServer(
  options: ReceiverOptions,
  { tls, isHub }: { readonly tls: ServerTls | null; readonly isHub: boolean },
): Server {
  // Refused requests cost the sender nothing: they must not fill the log.
  const limited = { ...options, log: limitWarnings(options.log, options.now) };
  return createBoundedServer(
    {
      // Anyone can begin a body; a large one of a machine over a slow line is kept below.
      unfinishedBodies: 'silent',
      headersMs: 5_000,
      // A large batch over a slow line.
      requestMs: 120_000,
      keepAliveMs: 30_000,
      maxHeaderSize: MAX_HEADER,
      ...(isHub && { connections: HUB_CONNECTIONS }),
      tls: tls === null ? null : { ...tls, minVersion: OLDEST_TLS },
    },
    (request, response, keep) => {
      const onContact = (machine: string): void => {
        keep();
        options.onContact(machine);
      };
      void receiveRequest(request, response, { ...limited, onContact });
    },
  );
}

/**
 * Uses a new certificate for new connections; open ones continue.
 *
 * @throws Error of Node when certificate or key is invalid, or they do not belong together: the former ones stay in force
 */
export function renewTls(server: Server, tls: ServerTls): void {
  if (server instanceof SecureServer) {
    server.setSecureContext({ ...tls, minVersion: OLDEST_TLS });
  }
}
