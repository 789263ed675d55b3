import type { ReplyLink, ReplyLinkStore } from '../core/reply-link.ts';
import type { Posted } from './posted.ts';
import { hashOf, isSameHash } from './reply-token.ts';

export interface AnswerParts {
  readonly links: Pick<ReplyLinkStore, 'replyLink' | 'useReplyLink' | 'settleReplyLink'>;
  /** Sends the reply, once under one link. Never rejects. */
  readonly post: (link: ReplyLink, text: string) => Promise<Posted>;
  readonly now: () => number;
}

/** What became of an answer that was given by a link. */
export type AnswerByLink =
  | { readonly type: 'not known' }
  | { readonly type: 'empty'; readonly link: ReplyLink }
  | { readonly type: 'expired' }
  /** By an earlier answer. */
  | { readonly type: 'used'; readonly link: ReplyLink }
  | { readonly type: 'posted'; readonly link: ReplyLink; readonly posted: Posted };

/** Answers that are being given in this process, by their tokens. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Answers a session by the token of a link, which works once: a reply that was refused leaves it free. Who answers twice at
 * once waits for the first answer's outcome.
 */
export async function answerByLink(
  token: string,
  text: string,
  parts: AnswerParts,
): Promise<AnswerByLink> {
  const hash = hashOf(token);
  const before = underWay.get(hash) ?? Promise.resolve();
  const answer = before.then(() => answerAlone(token, text, parts));
  const settled = answer.catch(() => null);
  underWay.set(hash, settled);
  try {
    return await answer;
  } finally {
    if (underWay.get(hash) === settled) underWay.delete(hash);
  }
}

async function answerAlone(
  token: string,
  text: string,
  { links, post, now }: AnswerParts,
): Promise<AnswerByLink> {
  const link = await linkOf(token, links);
  if (link === null) return { type: 'not known' };
  if (text.trim() === '') return { type: 'empty', link };
  if (!(await links.useReplyLink(link.tokenHash, now()))) {
    // One whose outcome was never written down was cut off by a crash: the journal of replies knows more.
    const latest = await links.replyLink(link.tokenHash);
    if (latest === null || latest.usedAt === null) return { type: 'expired' };
    if (latest.outcome !== null) return { type: 'used', link: latest };
  }
  const posted = await post(link, text);
  if (posted.type !== 'busy') await links.settleReplyLink(link.tokenHash, posted.type, now());
  return { type: 'posted', link, posted };
}

/** The link of a token, or null. */
export async function linkOf(
  token: string,
  links: Pick<ReplyLinkStore, 'replyLink'>,
): Promise<ReplyLink | null> {
  const hash = hashOf(token);
  const link = await links.replyLink(hash);
  return link !== null && isSameHash(link.tokenHash, hash) ? link : null;
}
