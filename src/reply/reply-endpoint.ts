import { agentLabels } from '../core/hook-event.ts';
import type { ListenAddress } from '../config/endpoint-schema.ts';
import type { HistoryEntry, HistoryStore } from '../core/history.ts';
import type { Log } from '../platform/log.ts';
import { bodyWithoutDetails, type ReplyLink, type ReplyLinkStore } from '../core/notification.ts';
import type { Texts } from '../delivery/render.ts';
import type { LoopbackServer } from '../platform/http/http-server.ts';
import { type AnswerByLink, answerByLink, type AnswerParts, tokenIn } from './answer-by-link.ts';
import type { AnsweredNote } from './decision-form.ts';
import { serveReplyPage } from './serve-reply-page.ts';
import type { Decisions } from './decisions.ts';
import type { ReplyDesk } from './reply-desk.ts';

export interface ReplyPageOptions {
  readonly store: {
    readonly history: Pick<HistoryStore, 'event'>;
    readonly replyLinks: ReplyLinkStore;
  };
  readonly texts: (entry: HistoryEntry) => Texts;
  readonly redact: (text: string) => string;
  readonly desk: ReplyDesk;
  readonly decisions: Decisions;
  /** Called whenever the page of a link is opened. */
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
