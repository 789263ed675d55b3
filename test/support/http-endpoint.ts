import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ScriptedAnswer } from './scripted-answer.ts';
import { play } from './scripted-answer.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Arrival, ms of a monotonic clock. */
  readonly at: number;
}

/** An answer, or how one is made of a request. */
type EndpointAnswer = ScriptedAnswer | ((request: ReceivedRequest) => ScriptedAnswer);

/** A server on a free port of the loopback that records requests and plays scripted answers. */
export interface HttpEndpoint extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** All requests so far, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Connections so far, also those without a request. */
  readonly connections: () => number;
  /** Settles when every connection that brought a request is closed. */
  untilDisconnected(): Promise<void>;
  /** Bytes of `flood` answers the far side took. */
  readonly flooded: () => number;
  /** The next requests get these answers in turn, all later ones the last. 200 "ok" at the start. */
  answer(...answers: readonly [EndpointAnswer, ...EndpointAnswer[]]): void;
  /** Settles with the next request that comes, after its body. */
  nextRequest(): Promise<ReceivedRequest>;
}

/** @param tls key and certificate (PEM) for an https endpoint */
export async function openHttpEndpoint(
  tls: { key: string; cert: string } | null = null,
): Promise<HttpEndpoint> {
  const requests: ReceivedRequest[] = [];
  const waiting: ((request: ReceivedRequest) => void)[] = [];
  let script: readonly EndpointAnswer[] = [{ status: 200, body: 'ok' }];
  let connections = 0;
  const used = new Set<Socket>();
  let flooded = 0;

  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = performance.now();
    used.add(request.socket);
    const received: ReceivedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: await text(request),
      at,
    };
    requests.push(received);
    const [answer = 'silence', ...rest] = script;
    if (rest.length > 0) script = rest;
    for (const tell of waiting.splice(0)) tell(received);
    const played = typeof answer === 'function' ? answer(received) : answer;
    await play(played, response, (bytes) => (flooded += bytes));
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // The far side goes away in the middle of some answers: that is what those are for.
    listener(request, response).catch(() => response.destroy());
  };
  const server: Server = tls === null ? createServer(handle) : createTlsServer(tls, handle);
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = addressOf(server);

  return {
    url: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    untilDisconnected: async () => {
      const open = [...used].filter((socket) => !socket.closed);
      await Promise.all(open.map((socket) => new Promise((done) => socket.once('close', done))));
    },
    flooded: () => flooded,
    answer: (...answers) => {
      script = answers;
    },
    nextRequest: () => new Promise((tell) => waiting.push(tell)),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen');
  return address;
}

/**
 * Makes a key and a certificate for localhost that no authority vouches for (PEM), by openssl.
 *
 * @param names further ones, such as "IP:127.0.0.1"
 */
export async function selfSigned(
  directory: string,
  names?: string,
  days = 30,
): Promise<{ key: string; cert: string }> {
  const key = join(directory, 'key.pem');
  const cert = join(directory, 'cert.pem');
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const subject = ['-nodes', '-days', String(days), '-subj', '/CN=localhost'];
  if (names !== undefined) subject.push('-addext', `subjectAltName=${names}`);
  execFileSync('openssl', [...request, ...subject, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
}
