import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { evictSilent } from './evict-silent.ts';
import { startListening, stopListening } from './listen.ts';
import type { LoopbackAddress } from './loopback-address.ts';
import { addressText, isLoopback } from './loopback-address.ts';

export interface LoopbackServer {
  /** Such as "http://127.0.0.1:9464". */
  readonly origin: string;
  close(): Promise<void>;
}

/** Answers a request whose Host header was checked. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Listens on this machine alone. A web page may have its own name resolve to 127.0.0.1 and so talk to us as to itself
 * (DNS rebinding): its requests carry that name as Host, and are refused.
 *
 * @throws RangeError for an address others could reach; rejects with the system's error when the port is taken
 */
export async function listenOnLoopback(
  address: LoopbackAddress,
  answerFor: (origin: string) => Answer,
): Promise<LoopbackServer> {
  if (!isLoopback(address.host)) {
    throw new RangeError(`Cannot listen on "${address.host}": it is no loopback address`);
  }
  let expectedHost = '';
  let answer: Answer | null = null;
  // Node looks for connections that are over their time only so often, ms.
  const server = createServer({ connectionsCheckingInterval: 500 }, (request, response) => {
    if (answer === null || request.headers.host !== expectedHost) {
      const text = 'This address answers under its own name only\n';
      response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end(text);
      return;
    }
    answer(request, response);
  });
  // More than the connections that ask nothing, the oldest of which make room for others.
  server.maxConnections = 64;
  evictSilent(server, { unfinishedBodies: 'silent' });
  server.headersTimeout = 2_000;
  server.requestTimeout = 5_000;
  server.keepAliveTimeout = 1_000;
  await startListening(server, { port: address.port, host: address.host });
  // Another program cannot listen beside us, and errors of single connections concern nobody else.
  server.on('error', () => undefined);
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  expectedHost = addressText({ host: address.host, port });
  const origin = `http://${expectedHost}`;
  answer = answerFor(origin);
  return {
    origin,
    close: () => stopListening(server),
  };
}
