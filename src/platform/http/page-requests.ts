import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

import { readWithin } from '../read-within.ts';

/** More than a person types; a form writes most characters as three. */
const MAX_BYTES = 1024 * 1024;

/** A posted form; null if it is too long. */
export async function readForm(body: Readable): Promise<URLSearchParams | null> {
  const bytes = await readWithin(body, MAX_BYTES);
  return bytes === null ? null : new URLSearchParams(new TextDecoder().decode(bytes));
}

/**
 * Why a request for the page is refused, or null. A link in Slack or a mail comes from another site, so only the kind
 * of request counts: a page itself, not an image, a frame or a script. Other programs than browsers send none of these
 * headers (https://www.w3.org/TR/fetch-metadata/).
 */
export function refusalOfLook(headers: IncomingHttpHeaders): string | null {
  const mode = headers['sec-fetch-mode'];
  const destination = headers['sec-fetch-dest'];
  const isPage = (mode ?? 'navigate') === 'navigate' && (destination ?? 'document') === 'document';
  return isPage ? null : 'It was not requested as a page';
}

/** Why a reply is refused: it has to come from the page, and any site can post a form. Or null. */
export function refusalOfReply(headers: IncomingHttpHeaders, origin: string): string | null {
  if (headers.origin !== origin) return 'It does not come from this page';
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'It does not come from this page';
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/x-www-form-urlencoded' ? null : 'It is not a form';
}

/**
 * A page loads only what the policy allows, is cached nowhere and cannot be framed. Its address may hold a token, so it is
 * sent to no other site; `no-referrer` would make browsers send "Origin: null" with the form, as a form of another
 * site does (https://fetch.spec.whatwg.org/#append-a-request-origin-header).
 *
 * @param policy what it may load: nothing else is
 */
export function pageHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; ${policy}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-robots-tag': 'noindex, nofollow',
  };
}

/**
 * Sends a page, unless an answer has begun or the browser has hung up.
 *
 * @param policy as for `pageHeaders`
 */
export function sendPage(
  response: ServerResponse,
  { status, html, policy }: { status: number; html: string; policy: string },
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, pageHeaders(policy));
  response.end(response.req.method === 'HEAD' ? undefined : html);
}
