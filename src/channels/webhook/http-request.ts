import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { HttpAnswer } from '../support/http-outcome.ts';

export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request wherever it is: resolving, connecting, sending, waiting. */
  readonly signal: AbortSignal;
  /** Resolves the name of the URL; the system does where it is left out. */
  readonly lookup?: LookupFunction;
}

/**
 * Sends a request on a connection of its own and gives the head of the answer. The body is never read, so that an
 * answer without end costs nothing; redirects are not followed. Rejects when no answer comes.
 */
export function sendHttpRequest({
  url,
  body,
  headers,
  ...options
}: HttpRequest): Promise<HttpAnswer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      ...options,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: false,
    });
    const settle = (answer: IncomingMessage): void => {
      const { statusCode = 0, headers: answered } = answer;
      resolve({ status: statusCode, retryAfter: answered['retry-after'] ?? null });
      answer.destroy();
    };
    request.on('response', settle);
    // With a 101 the socket is ours, and would stay open.
    request.on('upgrade', (answer, socket) => {
      socket.destroy();
      settle(answer);
    });
    request.on('error', reject);
    request.end(body);
  });
}
