import type { IncomingMessage } from 'node:http';

/** Far above what attachments in tests have: the document states no limit. */
const MAX_BODY = 20 * 1024 * 1024;

/** Path and query of a request. */
export function targetOf(request: IncomingMessage): { pathname: string; query: URLSearchParams } {
  // Cut by hand: the URL class would resolve "..", which must stay visible, and fail on some targets.
  const [pathname = '/', ...query] = (request.url ?? '/').split('?');
  return { pathname, query: new URLSearchParams(query.join('?')) };
}

/** @returns null when the body is larger than 20 MB; all of it is taken, but let go */
export async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  return size > MAX_BODY ? null : Buffer.concat(chunks).toString('utf8');
}
