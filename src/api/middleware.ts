import type { Send, SendInit } from './attempt.ts';

/**
 * Sees every attempt of every call, for logs and measurements. The `authorization` header is added behind it:
 * what a middleware writes down cannot hold a credential.
 */
export type Middleware = (url: string, init: SendInit, next: Send) => Promise<Response>;

/** A sender that passes each request through the middleware, first to last, and adds the credential at the end. */
export function withMiddleware(
  send: Send,
  middleware: readonly Middleware[],
  authorization: string,
): Send {
  const authorized: Send = (url, init) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', authorization);
    return send(url, { ...init, headers });
  };
  return middleware.reduceRight<Send>(
    (next, layer) => (url, init) => layer(url, init, next),
    authorized,
  );
}
