import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Log } from '../platform/log.ts';
import { bodyWithoutDetails, type ReplyLink, type ReplyLinkStore } from '../core/notification.ts';
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
  type SentAnswer,
  answerByLink,
  type AnswerParts,
  linkOf,
  tokenIn,
} from './answer-by-link.ts';
import { decideOnPage, type DecideParts, type PageResult as Result } from './decide-on-page.ts';
import { type AnsweredNote, pageHtml } from './page-html.ts';
import { agentLabels } from '../core/hook-event.ts';
import type { ListenAddress } from '../config/endpoint-schema.ts';
import type { HistoryEntry, HistoryStore } from '../core/history.ts';
import type { Texts } from '../delivery/render.ts';
import type { Decisions } from './decisions.ts';
import type { ReplyDesk } from './reply-desk.ts';

export interface ReplyPageParts extends AnswerParts, DecideParts {
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
  posted: SentAnswer,
  link: ReplyLink,
  text: string,
  parts: ReplyPageParts,
): Promise<Result> {
  switch (posted.type) {
    case 'sent': {
      const { lines } = posted;
      const page = { type: 'closed', tone: 'good', heading: 'Sent', lines, draft: null } as const;
      return { status: 200, page };
    }
    case 'refused':
      return form(502, link, { text, trouble: posted.reason }, parts);
    case 'busy':
      return closed(409, 'Sending in progress', [posted.reason], text);
    case 'unknown': {
      const hint = 'It was not sent again. Check the session before you answer again.';
      return closed(502, 'Cannot determine whether it arrived', [posted.reason, hint], text);
    }
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
  const lines = ['It may be mistyped or from another machine, or its event was deleted.'];
  return closed(404, 'Unknown link', lines, draft);
}

function expired(draft: string | null): Result {
  return closed(410, 'This link has expired', ['Use "hookbell reply" or a newer link.'], draft);
}

function used({ outcome }: ReplyLink, draft: string | null): Result {
  const doubt = outcome === 'sent' ? '' : ', but whether it arrived is unknown';
  const hint = 'Only one answer per message is possible; to send more, use "hookbell reply".';
  return closed(410, 'Already answered', [`An answer was sent${doubt}.`, hint], draft);
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
  const html = pageHtml(page, nonce);
  sendPage(response, { status, html, policy: `style-src 'nonce-${nonce}'` });
}

export interface ReplyPageOptions {
  readonly store: {
    readonly history: Pick<HistoryStore, 'event'>;
    readonly replyLinks: ReplyLinkStore;
  };
  readonly texts: (entry: HistoryEntry) => Texts;
  readonly redact: (text: string) => string;
  readonly desk: ReplyDesk;
  readonly decisions: Decisions;
  readonly onLook: (link: ReplyLink) => void;
  readonly now: () => number;
  readonly log: Log;
}

/** Serves the page on which people answer agents, out of the store. @throws as `listenOnLoopback` does */
export function openReplyPage(
  listen: ListenAddress,
  options: ReplyPageOptions,
): Promise<LoopbackServer> {
  const { store, texts, redact, onLook, log } = options;

  async function answered({ eventId }: ReplyLink): Promise<AnsweredNote | null> {
    const entry = await store.history.event(eventId);
    if (entry === null) return null;
    const { event, sessionTitle } = entry;
    const shown = texts(entry);
    return {
      title: shown.title,
      body: bodyWithoutDetails(shown),
      sessionTitle: sessionTitle === null ? null : redact(sessionTitle),
      agent: agentLabels[event.agent],
    };
  }

  const { decisions } = options;
  const parts = { ...answerParts(options), answered, decisions, redact, onLook, log };
  return serveReplyPage(listen, parts);
}

type AnswerOptions = Pick<ReplyPageOptions, 'store' | 'desk' | 'now'>;

/** Sends an answer to a session by a link without its page. Never rejects for expected errors. */
export async function answerLink(
  url: string,
  text: string,
  options: AnswerOptions,
): Promise<AnswerByLink> {
  const token = tokenIn(new URL(url).pathname);
  if (token === null) return { type: 'unknown' };
  return answerByLink(token, text, answerParts(options));
}

function answerParts({ store, desk, now }: AnswerOptions): AnswerParts {
  return {
    links: store.replyLinks,
    now,
    async post({ eventId }, text) {
      const entry = await store.history.event(eventId);
      const sessionId = entry?.event.sessionId ?? null;
      if (sessionId === null)
        return { type: 'refused', reason: 'The message it answers was deleted' };
      return desk({ sessionId, text, key: `answer to ${eventId}` });
    },
  };
}
