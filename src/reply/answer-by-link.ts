import { sameSecret, sha256 } from '../platform/crypto.ts';
import type { ReplyLink, ReplyLinkStore } from '../core/notification.ts';

export const TOKEN_BYTES = 32;

/** A token of exactly that many bits, in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** @param random unpredictable bytes */
export function tokenOf(random: Uint8Array): string {
  if (random.length < TOKEN_BYTES) throw new RangeError('Cannot make a token: too few bytes');
  return Buffer.from(random.subarray(0, TOKEN_BYTES)).toString('base64url');
}

/** The token in the path of a request, or null. */
export function tokenIn(url: string | undefined): string | null {
  const token = /^\/reply\/([^/?#]+)$/.exec(url ?? '')?.[1];
  return token !== undefined && TOKEN.test(token) ? token : null;
}

export interface AnswerParts {
  readonly links: Pick<ReplyLinkStore, 'find' | 'use' | 'recordOutcome'>;
  /** Sends the reply, one for all links to the same event. Never rejects. */
  readonly post: (link: ReplyLink, text: string) => Promise<Posted>;
  readonly now: () => number;
}

export type AnswerByLink =
  | { readonly type: 'unknown' }
  | { readonly type: 'empty'; readonly link: ReplyLink }
  | { readonly type: 'expired' }
  /** By an earlier answer, perhaps by another link. */
  | { readonly type: 'used'; readonly link: ReplyLink }
  | { readonly type: 'posted'; readonly link: ReplyLink; readonly posted: SentAnswer };

/** The outcome of the first answer to a message. */
export type SentAnswer = Exclude<Posted, { readonly type: 'answered' }>;

/** The subject of a link takes one answer, by any of its links: a refused reply leaves it free. */
export async function answerByLink(
  token: string,
  text: string,
  { links, post, now }: AnswerParts,
): Promise<AnswerByLink> {
  const link = await linkOf(token, links);
  if (link === null) return { type: 'unknown' };
  if (text.trim() === '') return { type: 'empty', link };
  if (!(await links.use(link.tokenHash, now()))) {
    const latest = await links.find(link.tokenHash);
    if (latest === null) return { type: 'unknown' };
    if (latest.usedAt === null && latest.expiresAt <= now()) return { type: 'expired' };
    if (latest.outcome !== null) return { type: 'used', link: latest };
    // It is on its way, or a crash interrupted it: the sender can find out.
  }
  const posted = await post(link, text);
  if (posted.type === 'busy') return { type: 'posted', link, posted };
  const isAnswered = posted.type === 'answered';
  await links.recordOutcome(link.tokenHash, isAnswered ? 'sent' : posted.type, now());
  if (isAnswered) return { type: 'used', link: { ...link, outcome: 'sent' } };
  return { type: 'posted', link, posted };
}

/** The link of a token, or null. */
export async function linkOf(
  token: string,
  links: Pick<ReplyLinkStore, 'find'>,
): Promise<ReplyLink | null> {
  // Stored instead of the token, which has as many bits, so no salt is needed.
  const hash = sha256(token);
  const link = await links.find(hash);
  return link !== null && sameSecret(link.tokenHash, hash) ? link : null;
}

/** The outcome of a reply, in sentences for the page. */
export type Posted =
  | { readonly type: 'sent'; readonly lines: readonly string[] }
  /** The answer was not sent, and may be retried. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The same reply is being sent right now. */
  | { readonly type: 'busy'; readonly reason: string }
  /** Another one was sent before, and this one was not. */
  | { readonly type: 'answered'; readonly reason: string }
  | { readonly type: 'unknown'; readonly reason: string };
