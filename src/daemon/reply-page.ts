import type { ListenAddress } from '../config/config.ts';
import type { Log } from '../core/log.ts';
import type { ReplyLink, ReplyLinkStore } from '../core/reply-link.ts';
import type { HistoryEntry } from '../core/history.ts';
import type { Store } from '../core/store.ts';
import { agentLabels } from '../delivery/agent-label.ts';
import type { Texts } from '../delivery/render.ts';
import type { LoopbackServer } from '../local-http/loopback-server.ts';
import type { Answered } from '../reply-page/page-html.ts';
import type { Posted } from '../reply-page/posted.ts';
import { serveReplyPage } from '../reply-page/serve-reply-page.ts';
import type { ReplyDesk } from './reply-desk.ts';

export interface ReplyPageOptions {
  readonly store: Pick<Store, 'event'> & ReplyLinkStore;
  readonly texts: (entry: HistoryEntry) => Texts;
  readonly redact: (text: string) => string;
  readonly desk: ReplyDesk;
  readonly now: () => number;
  readonly log: Log;
}

/** Serves the page on which people answer agents, out of the store. @throws as `listenOnLoopback` does */
export function openReplyPage(
  listen: ListenAddress,
  { store, texts, redact, desk, now, log }: ReplyPageOptions,
): Promise<LoopbackServer> {
  async function answered({ eventId }: ReplyLink): Promise<Answered | null> {
    const entry = await store.event(eventId);
    if (entry === null) return null;
    const { event, sessionTitle } = entry;
    const { title, body } = texts(entry);
    return {
      title,
      body,
      sessionTitle: sessionTitle === null ? null : redact(sessionTitle),
      agent: agentLabels[event.agent],
    };
  }

  async function post({ eventId, tokenHash }: ReplyLink, text: string): Promise<Posted> {
    const entry = await store.event(eventId);
    const sessionId = entry?.event.sessionId ?? null;
    if (sessionId === null) return { type: 'refused', reason: 'What it answers was forgotten' };
    return desk({ sessionId, text, key: `link ${tokenHash}` });
  }

  return serveReplyPage(listen, { links: store, answered, post, now, log });
}
