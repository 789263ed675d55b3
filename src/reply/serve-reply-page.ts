import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Log } from '../platform/log.ts';
import type { ReplyLink } from '../core/notification.ts';
import {
  readForm,
  refusalOfLook,
  refusalOfReply,
  sendPage,
} from '../platform/http/page-requests.ts';
import type { LoopbackAddress } from '../platform/loopback-address.ts';
import { listenOnLoopback, type LoopbackServer } from '../platform/http/http-server.ts';
import {
  type AnswerByLink,
  answerByLink,
  type AnswerParts,
  linkOf,
  tokenIn,
} from './answer-by-link.ts';
import { decideOnPage, type DecideParts, type PageResult as Result } from './decide-on-page.ts';
import { pageHtml } from './page-html.ts';

export interface ReplyPageParts extends AnswerParts, DecideParts {
  /** Called whenever the page of a link is opened. */
  readonly onLook: (link: ReplyLink) => void;
  readonly log: Log;
}

/**
 * Serves the page on which the owner of a link answers a session. The holder of the token is the owner: only the link
 * contains it. Opening the page changes nothing, so that a preview does not use it up; only the form of the page itself
 * does.
 *
 * @throws as `listenOnLoopback` does
 */
export function serveReplyPage(
  address: LoopbackAddress,
  parts: ReplyPageParts,
): Promise<LoopbackServer> {
  return listenOnLoopback(address, (origin) => (request, response) => {
    answer(request, origin, parts).then(
      (result) => send(response, result),
      (error: unknown) => {
        // Without the path, which contains a token.
        parts.log.error({ err: error }, 'Cannot answer on the reply page');
        const lines = ['The daemon cannot handle the request; see "hookbell logs"'];
        send(response, closed(500, 'Unexpected error', lines));
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
  if (method !== 'POST') return closed(405, 'Refused', ['Method not allowed; use GET or POST']);
  const refusal = refusalOfReply(headers, origin);
  if (refusal !== null) return closed(403, 'Refused', [refusal]);
  const posted = await readForm(request);
  if (posted === null)
    return closed(413, 'Too long', ['The answer is too long for this page: use "hookbell reply"']);
  return reply(token, posted, parts);
}

async function look(token: string, parts: ReplyPageParts): Promise<Result> {
  const link = await linkOf(token, parts.links);
  if (link === null) return notKnown(null);
  parts.onLook(link);
  const decision = await decideOnPage(link, null, parts);
  if (decision !== null) return decision;
  if (link.usedAt !== null) return used(link, null);
  return form(200, link, { text: '', trouble: null }, parts);
}

async function reply(
  token: string,
  posted: URLSearchParams,
  parts: ReplyPageParts,
): Promise<Result> {
  const link = await linkOf(token, parts.links);
  if (link !== null && link.expiresAt > parts.now()) {
    const decision = await decideOnPage(link, posted, parts);
    if (decision !== null) return decision;
  }
  // Forms end lines with two characters, whatever was typed.
  const text = (posted.get('text') ?? '').replaceAll('\r\n', '\n');
  const given = await answerByLink(token, text, parts);
  switch (given.type) {
    case 'unknown':
      return notKnown(text);
    case 'empty':
      return form(400, given.link, { text, trouble: 'The answer is empty' }, parts);
    case 'expired':
      return expired(text);
    case 'used':
      return used(given.link, text);
    case 'posted':
      return postedPage(given.posted, given.link, text, parts);
  }
}

async function postedPage(
  posted: Extract<AnswerByLink, { readonly type: 'posted' }>['posted'],
  link: ReplyLink,
  text: string,
  parts: ReplyPageParts,
): Promise<Result> {
  switch (posted.type) {
    case 'sent':
      return {
        status: 200,
        page: { type: 'closed', tone: 'good', heading: 'Sent', lines: posted.lines, draft: null },
      };
    case 'refused':
      return form(502, link, { text, trouble: posted.reason }, parts);
    case 'busy':
      return closed(409, 'Sending in progress', [posted.reason], text);
    case 'unknown':
      return closed(
        502,
        'Cannot determine whether it arrived',
        [posted.reason, 'It was not sent again. Check the session before you answer again.'],
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

function notKnown(draft: string | null): Result {
  return closed(
    404,
    'Unknown link',
    ['It may be mistyped or from another machine, or its event was deleted.'],
    draft,
  );
}

function expired(draft: string | null): Result {
  return closed(410, 'This link has expired', ['Use "hookbell reply" or a newer link.'], draft);
}

function used({ outcome }: ReplyLink, draft: string | null): Result {
  const lines = [
    outcome === 'sent'
      ? 'An answer was sent.'
      : 'An answer was sent, but whether it arrived is unknown.',
    'Only one answer per message is possible; to send more, use "hookbell reply".',
  ];
  return closed(410, 'Already answered', lines, draft);
}

function closed(
  status: number,
  heading: string,
  lines: readonly string[],
  draft: string | null = null,
): Result {
  return { status, page: { type: 'closed', tone: 'bad', heading, lines, draft } };
}

function send(response: ServerResponse, { status, page }: Result): void {
  const nonce = randomBytes(16).toString('base64url');
  sendPage(response, {
    status,
    html: pageHtml(page, nonce),
    policy: `style-src 'nonce-${nonce}'`,
  });
}
