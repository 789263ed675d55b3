import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createServer as createSecureServer,
  type Server as SecureServer,
  type ServerOptions as SecureServerOptions,
} from 'node:https';
import type { ListenOptions, Socket } from 'node:net';

import { addressText, isLoopback, type LoopbackAddress } from '../loopback-address.ts';

/** More connections than idle ones, the oldest of which make room for others. */
const CONNECTIONS = { most: 64, silent: 16 };

const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** Longer, and Node takes it for one millisecond, ms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** @param keep from now on the connection counts as busy, although the body of the request is unfinished */
type Listener = (request: IncomingMessage, response: ServerResponse, keep: () => void) => void;

interface ServerLimits {
  /**
   * `silent`: a connection whose request body is incomplete counts as idle, unless the listener keeps it; `busy`: it does
   * not, for servers whose clients are all trusted.
   */
  readonly unfinishedBodies: 'silent' | 'busy';
  readonly headersMs?: number;
  readonly requestMs?: number;
  readonly keepAliveMs?: number;
  readonly maxHeaderSize?: number;
  /** How many may be open, and how many of them idle. */
  readonly connections?: { readonly most: number; readonly silent: number };
  /** Serves https. */
  readonly tls?: SecureServerOptions | null;
}

/**
 * An HTTP server that slow and idle clients cannot block, not listening yet.
 *
 * @throws Error of Node when certificate or key is invalid, or they do not belong together
 */
export function createBoundedServer(limits: ServerLimits, listener: Listener): Server {
  const { unfinishedBodies, tls = null, connections = CONNECTIONS } = limits;
  const options = {
    // Node would look for connections that are out of time twice a second, all day: each has its own timer instead.
    connectionsCheckingInterval: LONGEST_TIMER_MS,
    ...(limits.maxHeaderSize !== undefined && { maxHeaderSize: limits.maxHeaderSize }),
  };
  const headersMs = limits.headersMs ?? 2_000;
  const server =
    tls === null
      ? createServer(options)
      : createSecureServer({ ...options, handshakeTimeout: headersMs, ...tls });
  const keepAliveMs = limits.keepAliveMs ?? 1_000;
  server.maxConnections = connections.most;
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  server.keepAliveTimeout = keepAliveMs;
  server.on(tls === null ? 'connection' : 'secureConnection', (socket: Socket) =>
    endLater(socket, headersMs),
  );
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    endLater(socket, limits.requestMs ?? 5_000, response);
    response.once('finish', () => endLater(socket, keepAliveMs + headersMs));
  });
  const keep = evictSilent(server, unfinishedBodies, connections.silent);
  server.on('request', (request, response) =>
    listener(request, response, () => keep(request.socket)),
  );
  return server;
}

const deadlines = new WeakMap<Socket, NodeJS.Timeout>();

/** Ends a connection after `ms`; with `response`, only if its request is incomplete then. */
function endLater(socket: Socket, ms: number, response?: ServerResponse): void {
  const former = deadlines.get(socket);
  clearTimeout(former);
  if (former === undefined) socket.once('close', () => clearTimeout(deadlines.get(socket)));
  const end = (): void => {
    if (deadlines.get(socket) !== timer || response?.req.complete === true) return;
    if (socket.writable && response?.headersSent !== true) socket.write(TOO_SLOW);
    socket.destroy();
  };
  // On a busy machine this process may be the late one: what has arrived meanwhile is read first.
  const timer = setTimeout(() => setImmediate(setImmediate, end), ms);
  timer.unref();
  deadlines.set(socket, timer);
}

/** Closes the oldest of too many idle connections. Returns what makes one active. */
function evictSilent(
  server: Server | SecureServer,
  unfinishedBodies: ServerLimits['unfinishedBodies'],
  mostSilent: number,
): (socket: Socket) => void {
  const silent = new Map<Socket | string, Socket>();
  const keep = (socket: Socket): void => void silent.delete(connectionOf(socket));
  const add = (socket: Socket): void => {
    if (socket.destroyed) return;
    const connection = connectionOf(socket);
    silent.delete(connection);
    silent.set(connection, socket);
    const [oldest] = silent;
    if (silent.size <= mostSilent || oldest === undefined) return;
    silent.delete(oldest[0]);
    oldest[1].destroy();
  };
  server.on('connection', (socket: Socket) => {
    const connection = connectionOf(socket);
    socket.once('close', () => silent.delete(connection));
    add(socket);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (unfinishedBodies === 'busy' || !hasBody(request)) keep(socket);
    else request.once('end', () => keep(socket));
    response.once('finish', () => add(socket));
  });
  return keep;
}

/** Identical for a connection and the TLS on top of it, which are separate sockets in Node. */
function connectionOf(socket: Socket): Socket | string {
  const { remoteAddress, remotePort } = socket;
  return remotePort === undefined ? socket : `${remoteAddress} ${remotePort}`;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export interface LoopbackServer {
  /** Such as "http://127.0.0.1:9464". */
  readonly origin: string;
  close(): Promise<void>;
}

/** Handles a request whose Host header was checked. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Listens on this machine only. A web page may have its own name resolve to 127.0.0.1 and talk to us as to itself (DNS
 * rebinding): its requests carry that name as Host, and are refused.
 *
 * @param options.alsoHosts names under which a proxy of this user serves it as well
 * @throws RangeError for an address others could reach; rejects with the system's error when the port is taken
 */
export async function listenOnLoopback(
  address: LoopbackAddress,
  answerFor: (origin: string) => RequestHandler,
  { alsoHosts = [] }: { readonly alsoHosts?: readonly string[] } = {},
): Promise<LoopbackServer> {
  if (!isLoopback(address.host)) {
    throw new RangeError(`Cannot listen on "${address.host}": it is not a loopback address`);
  }
  let expectedHost = '';
  let answer: RequestHandler | null = null;
  const server = createBoundedServer({ unfinishedBodies: 'silent' }, (request, response) => {
    const { host = '' } = request.headers;
    if (answer === null || (host !== expectedHost && !alsoHosts.includes(host))) {
      const text = 'This server only accepts requests for its own address\n';
      response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end(text);
      return;
    }
    answer(request, response);
  });
  await startListening(server, { port: address.port, host: address.host });
  // Another program cannot listen beside us, and errors of single connections are harmless.
  server.on('error', () => undefined);
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  expectedHost = addressText({ host: address.host, port });
  const origin = `http://${expectedHost}`;
  answer = answerFor(origin);
  return { origin, close: () => stopListening(server) };
}

/** Rejects with the system's error if it cannot. */
export function startListening(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Resolves when all is closed; requests in progress are aborted. */
export async function stopListening(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
