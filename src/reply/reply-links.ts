import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { sha256 } from '../platform/crypto.ts';
import type { Config } from '../config/config.ts';
import type { Kind } from '../core/hook-event.ts';
import type { ReplyLinkStore, ShownReplyLink } from '../core/notification.ts';
import type { WholeDelivery } from '../core/outbox.ts';
import { displayLine } from '../text/sanitize.ts';
import { TOKEN_BYTES, tokenOf } from './answer-by-link.ts';
import type { Decisions } from './decisions.ts';

/** Events that text can answer: a permission is granted only in the agent. */
const answerable: ReadonlySet<Kind> = new Set<Kind>([
  'needs.input',
  'turn.done',
  'turn.failed',
  'turn.interrupted',
]);

export type ReplyLinks = ReturnType<typeof createReplyLinks>;

/** Links to the reply page, for notifications. */
export function createReplyLinks({
  config,
  decisions,
  links,
  now,
}: {
  readonly config: () => Pick<Config, 'replyPage'>;
  readonly decisions: Pick<Decisions, 'heldFor'>;
  readonly links: Pick<ReplyLinkStore, 'add'>;
  readonly now: () => number;
}) {
  let origin: string | null = null;
  return {
    make: async (delivery: WholeDelivery): Promise<ShownReplyLink | null> => {
      const settings = config().replyPage;
      if (origin === null || settings === null) return null;
      const machine = displayLine(hostname());
      const forMs = settings.expireAfterMs;
      // The page is on this machine: it does not know who opens it.
      const isOwn = delivery.event.machine === null && delivery.also.length === 0;
      const question = isOwn ? decisions.heldFor(delivery.event)?.question : null;
      const questionId = question?.id ?? null;
      return createReplyLink(delivery, { origin, links, machine, forMs, now, questionId });
    },
    /** Sets the origin of the page; null while it is not served. */
    servedAt(next: string | null): void {
      origin = next;
    },
  };
}

/** Makes a token, of which only the hash is stored, for a waiting question or a session that the service knows. */
export async function createReplyLink(
  { event, session, also }: Pick<WholeDelivery, 'event' | 'session' | 'also'>,
  {
    origin,
    links,
    machine,
    forMs,
    now,
    questionId = null,
  }: {
    readonly origin: string;
    readonly questionId?: string | null;
    readonly links: Pick<ReplyLinkStore, 'add'>;
    readonly now: () => number;
  } & Omit<ShownReplyLink, 'url' | 'decides'>,
): Promise<ShownReplyLink | null> {
  const isKnown = (session?.lookedUp?.askedAt ?? 0) > 0 && event.sessionId !== null;
  const takesText = isKnown && answerable.has(event.kind) && also.length === 0;
  if (questionId === null && !takesText) return null;
  const token = tokenOf(randomBytes(TOKEN_BYTES));
  const createdAt = now();
  await links.add({
    tokenHash: sha256(token),
    eventId: questionId ?? event.id,
    createdAt,
    expiresAt: createdAt + forMs,
  });
  const shown = { url: `${origin}/reply/${token}`, machine, forMs };
  return questionId === null ? shown : { ...shown, decides: true };
}
