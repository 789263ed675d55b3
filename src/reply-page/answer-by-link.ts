import type { ReplyLink, ReplyLinkStore } from '../core/reply-link.ts';
import type { Posted } from './posted.ts';
import { hashOf, isSameHash } from './reply-token.ts';

export interface AnswerParts {
  readonly links: Pick<ReplyLinkStore, 'replyLink' | 'useReplyLink' | 'settleReplyLink'>;
  /** Sends the reply, one for all links to the same event. Never rejects. */
  readonly post: (link: ReplyLink, text: string) => Promise<Posted>;
  readonly now: () => number;
}

/** What became of an answer that was given by a link. */
export type AnswerByLink =
  | { readonly type: 'not known' }
  | { readonly type: 'empty'; readonly link: ReplyLink }
  | { readonly type: 'expired' }
  /** By an earlier answer, perhaps by another link. */
  | { readonly type: 'used'; readonly link: ReplyLink }
  | {
      readonly type: 'posted';
      readonly link: ReplyLink;
      readonly posted: Exclude<Posted, { readonly type: 'answered' }>;
    };

/**
 * Answers a session by the token of a link. What the link is about takes one answer, by whichever of its links: a reply
 * that was refused leaves it free.
 */
export async function answerByLink(
  token: string,
  text: string,
  { links, post, now }: AnswerParts,
): Promise<AnswerByLink> {
  const link = await linkOf(token, links);
  if (link === null) return { type: 'not known' };
  if (text.trim() === '') return { type: 'empty', link };
  if (!(await links.useReplyLink(link.tokenHash, now()))) {
    const latest = await links.replyLink(link.tokenHash);
    if (latest === null) return { type: 'not known' };
    if (latest.usedAt === null && latest.expiresAt <= now()) return { type: 'expired' };
    if (latest.outcome !== null) return { type: 'used', link: latest };
    // It is on its way, or a crash cut it off: who posts knows more.
  }
  const posted = await post(link, text);
  if (posted.type === 'busy') return { type: 'posted', link, posted };
  const isAnswered = posted.type === 'answered';
  await links.settleReplyLink(link.tokenHash, isAnswered ? 'sent' : posted.type, now());
  if (isAnswered) return { type: 'used', link: { ...link, outcome: 'sent' } };
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
