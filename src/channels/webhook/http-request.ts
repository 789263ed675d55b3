import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import { boundedText } from '../../platform/read-within.ts';
import type { HttpAnswer } from '../support/http-outcome.ts';

export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request in any phase: resolving, connecting, sending, waiting. */
  readonly signal: AbortSignal;
  readonly outbound: Pick<Outbound, 'isProxied' | 'authorities' | 'tunnel'>;
  /** Resolves the name of the URL here, also with a proxy; without it the system or the proxy does. */
  readonly lookup?: LookupFunction;
}

/**
 * Sends a request on a separate connection and returns the head of the response. At most 64 KB of its body are read and
 * discarded, so that the remote can finish cleanly; redirects are not followed. Rejects without a response.
 */
export async function sendHttpRequest(request: HttpRequest): Promise<HttpAnswer> {
  const answer = await answerTo(request);
  // The head is sufficient: a truncated body changes nothing.
  await boundedText(answer).catch(() => '');
  return {
    status: answer.statusCode ?? 0,
    retryAfter: answer.headers['retry-after'] ?? null,
  };
}

async function answerTo({
  url,
  body,
  headers,
  outbound,
  lookup,
  ...options
}: HttpRequest): Promise<IncomingMessage> {
  const { request: send } = await (url.protocol === 'https:'
    ? import('node:https')
    : import('node:http'));
  const { signal } = options;
  const guarded = lookup === undefined ? {} : { lookup };
  const ca = outbound.authorities();
  const tunnel = outbound.isProxied(url)
    ? await outbound.tunnel(url, { signal, ...guarded })
    : null;
  const way =
    tunnel === null
      ? { agent: false as const, ...guarded, ...(ca !== undefined && { ca }) }
      : // Without an agent the port would show in the host header.
        { createConnection: () => tunnel, defaultPort: url.protocol === 'https:' ? 443 : 80 };
  return new Promise((resolve, reject) => {
    const request = send(url, {
      ...options,
      ...way,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // Explicit, so that no environment variable decides it.
      ...(url.protocol === 'https:' && { rejectUnauthorized: true }),
    });
    request.on('response', resolve);
    // A 101 has no body: reading it ends immediately and closes the connection.
    request.on('upgrade', resolve);
    request.on('error', reject);
    request.end(body);
  });
}
