import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

import type { Log } from '../platform/log.ts';
import { readWithin } from '../platform/read-within.ts';
import type { ReplyLink } from '../core/reply-link.ts';
import type { LoopbackAddress } from '../platform/loopback-address.ts';
import { listenOnLoopback, type LoopbackServer } from '../platform/loopback-server.ts';
import {
  type AnswerByLink,
  answerByLink,
  type AnswerParts,
  linkOf,
  tokenIn,
} from './answer-by-link.ts';
import { type Answered, type Page, pageHtml } from './page-html.ts';

/** More than any person types; a form writes most characters as three. */
const MAX_BYTES = 1024 * 1024;

/** The answer in a posted form, '' where there is none; null where it is too long. */
async function readForm(body: Readable): Promise<string | null> {
  const bytes = await readWithin(body, MAX_BYTES);
  if (bytes === null) return null;
  const text = new URLSearchParams(new TextDecoder().decode(bytes)).get('text') ?? '';
  // Forms end their lines with two characters, whatever was typed.
  return text.replaceAll('\r\n', '\n');
}

export interface ReplyPageParts extends AnswerParts {
  /** What the link answers; null when that was forgotten. */
  readonly answered: (link: ReplyLink) => Promise<Answered | null>;
  /** Told whenever somebody looks at the page of a link. */
  readonly onLook: (link: ReplyLink) => void;
  readonly log: Log;
}

interface Result {
  readonly status: number;
  readonly page: Page;
}

/**
 * Serves the page on which the owner of a link answers a session. Whoever has the token is the owner: it stands in the link
 * alone. To look at the page changes nothing, so that no preview uses it up; only the form of the page itself does.
 *
 * @throws as `listenOnLoopback` does
 */
export function serveReplyPage(
  address: LoopbackAddress,
  parts: ReplyPageParts,
): Promise<LoopbackServer> {
  return listenOnLoopback(address, (origin) => (request, response) => {
    answer(request, origin, parts).then(
      (result) => send(request, response, result),
      (error: unknown) => {
        // Not the path: a token stands in it.
        parts.log.error({ err: error }, 'Cannot answer on the reply page');
        const lines = ['The daemon cannot answer now: its log says why'];
        send(request, response, closed(500, 'Something went wrong', lines));
      },
    );
  });
}

async function answer(
  request: IncomingMessage,
  origin: string,
  parts: ReplyPageParts,
): Promise<Result> {
  const { method, headers, url } = request;
  const token = tokenIn(url);
  if (token === null) return notKnown(null);
  if (method === 'GET' || method === 'HEAD') {
    const refusal = refusalOfLook(headers);
    return refusal === null ? look(token, parts) : closed(403, 'Refused', [refusal]);
  }
  if (method !== 'POST')
    return closed(405, 'Refused', ['Only looking and answering is possible here']);
  const refusal = refusalOfReply(headers, origin);
  if (refusal !== null) return closed(403, 'Refused', [refusal]);
  const text = await readForm(request);
  if (text === null)
    return closed(413, 'Too long', ['The answer is too long for this page: use "hookbell reply"']);
  return reply(token, text, parts);
}

async function look(token: string, parts: ReplyPageParts): Promise<Result> {
  const link = await linkOf(token, parts.links);
  if (link === null) return notKnown(null);
  parts.onLook(link);
  if (link.usedAt !== null) return used(link, null);
  return form(200, link, { text: '', trouble: null }, parts);
}

async function reply(token: string, text: string, parts: ReplyPageParts): Promise<Result> {
  const given = await answerByLink(token, text, parts);
  switch (given.type) {
    case 'not known':
      return notKnown(text);
    case 'empty':
      return form(400, given.link, { text, trouble: 'There is nothing in it' }, parts);
    case 'expired':
      return expired(text);
    case 'used':
      return used(given.link, text);
    case 'posted':
      return told(given.posted, given.link, text, parts);
  }
}

async function told(
  posted: Extract<AnswerByLink, { readonly type: 'posted' }>['posted'],
  link: ReplyLink,
  text: string,
  parts: ReplyPageParts,
): Promise<Result> {
  switch (posted.type) {
    case 'sent':
      return {
        status: 200,
        page: { type: 'closed', tone: 'good', heading: 'Sent', lines: posted.lines, kept: null },
      };
    case 'refused':
      return form(502, link, { text, trouble: posted.reason }, parts);
    case 'busy':
      return closed(409, 'It is being sent', [posted.reason], text);
    case 'unknown':
      return closed(
        502,
        'Nobody can tell whether it arrived',
        [posted.reason, 'It was not sent again. Look at the session before you answer once more.'],
        text,
      );
  }
}

async function form(
  status: number,
  link: ReplyLink,
  { text, trouble }: { readonly text: string; readonly trouble: string | null },
  { answered, now }: ReplyPageParts,
): Promise<Result> {
  const forMs = link.expiresAt - now();
  if (forMs <= 0) return expired(text === '' ? null : text);
  const shown = await answered(link);
  if (shown === null) return notKnown(text === '' ? null : text);
  return { status, page: { type: 'form', answered: shown, forMs, text, trouble } };
}

function notKnown(kept: string | null): Result {
  return closed(
    404,
    'This link is not known here',
    ['It may be mistyped, of another machine, or its event was forgotten.'],
    kept,
  );
}

function expired(kept: string | null): Result {
  return closed(
    410,
    'This link is too old',
    ['Answer with "hookbell reply", or by a newer link.'],
    kept,
  );
}

function used({ outcome }: ReplyLink, kept: string | null): Result {
  const lines = [
    outcome === 'sent'
      ? 'An answer was sent.'
      : 'An answer was given, and nobody can tell whether it arrived.',
    'It takes one, by whichever link or pop-up: say more with "hookbell reply".',
  ];
  return closed(410, 'This was answered', lines, kept);
}

function closed(
  status: number,
  heading: string,
  lines: readonly string[],
  kept: string | null = null,
): Result {
  return { status, page: { type: 'closed', tone: 'bad', heading, lines, kept } };
}

function send(request: IncomingMessage, response: ServerResponse, { status, page }: Result): void {
  if (response.headersSent || response.destroyed) return;
  const nonce = randomBytes(16).toString('base64url');
  response.writeHead(status, pageHeaders(nonce));
  response.end(request.method === 'HEAD' ? undefined : pageHtml(page, nonce));
}

/**
 * Why a request to see the page is refused, or null. A link in Slack or a mail comes from another site, so only how
 * it is asked for counts: as a page of its own, not as an image, a frame or by a script. What is no browser sends none of these
 * headers (https://www.w3.org/TR/fetch-metadata/).
 */
function refusalOfLook(headers: IncomingHttpHeaders): string | null {
  const mode = headers['sec-fetch-mode'];
  const destination = headers['sec-fetch-dest'];
  if (mode !== undefined && mode !== 'navigate') return 'It was not asked for as a page';
  if (destination !== undefined && destination !== 'document')
    return 'It was not asked for as a page';
  return null;
}

/** Why a reply is refused, or null. It has to come from the page itself: another site can make a browser post a form. */
function refusalOfReply(headers: IncomingHttpHeaders, origin: string): string | null {
  if (headers.origin !== origin) return 'It does not come from this page';
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'It does not come from this page';
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/x-www-form-urlencoded' ? null : 'It is no form';
}

/**
 * The page runs no script, loads nothing, is kept nowhere and stands in no frame. Its address holds a token, so it goes to no
 * other site; `no-referrer` would make browsers send "Origin: null" with the form, which could not be told from
 * another site's (https://fetch.spec.whatwg.org/#append-a-request-origin-header).
 *
 * @param nonce for the one style sheet
 */
function pageHeaders(nonce: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
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
