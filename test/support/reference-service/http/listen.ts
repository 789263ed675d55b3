import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

import type { KeyName } from '../keys.ts';
import type { Address } from '../served-routes.ts';

/** A server on loopback that can be closed at any time, whatever its connections do. */
export interface ListeningServer {
  /** Without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** @param port 0 for a free one */
export async function listen(
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<ListeningServer> {
  const server = createServer((request, response) => {
    // A client that goes away in the middle is nothing to report: many faults are made to drive it away.
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Cannot listen on a port');
  return address.port;
}

/** One request and its outcome. */
export interface LoggedRequest {
  readonly number: number;
  readonly address: Address;
  readonly method: string;
  readonly pathname: string;
  readonly query: Readonly<Record<string, string>>;
  /** Verbatim, including the value of Authorization. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Time of the service's clock, Unix ms. */
  readonly at: number;
  /** Null when nothing of the interface is there. */
  readonly routeId: string | null;
  /** Whose credential it was; null for none that is known. */
  readonly key: KeyName | null;
  /** Kinds of the faults that met it. */
  readonly faults: readonly string[];
  /** What the service itself made of it: the status it decided on; null when a fault kept the request from it. */
  decided: number | null;
  /** The status sent; null before that, and after a reset or a hang. */
  sent: number | null;
}
