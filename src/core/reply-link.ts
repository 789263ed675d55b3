import { durationText } from '../text/duration.ts';

/** A link by which its owner answers a session, once, on a page of this machine. The token in it is kept nowhere. */
export interface ReplyLink {
  /** SHA-256 of the token, in hex. */
  readonly tokenHash: string;
  /** What it answers. */
  readonly eventId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When it was answered, by this link or another one to the same event; null: it is free. */
  readonly usedAt: number | null;
  /** `unknown`: nobody can tell whether the reply arrived. Null too while it is on its way, or was when the daemon died. */
  readonly outcome: 'sent' | 'unknown' | null;
}

/** What the store keeps of links. */
export interface ReplyLinkStore {
  addReplyLink(
    link: Pick<ReplyLink, 'tokenHash' | 'eventId' | 'createdAt' | 'expiresAt'>,
  ): Promise<void>;
  replyLink(tokenHash: string): Promise<ReplyLink | null>;
  /** True for one caller alone of all who have a link to the event; false for one that is used, expired or not known. */
  useReplyLink(tokenHash: string, now: number): Promise<boolean>;
  /** What became of the answer; `refused` makes the links to the event free again. */
  settleReplyLink(
    tokenHash: string,
    outcome: 'sent' | 'unknown' | 'refused',
    now: number,
  ): Promise<void>;
}

/** The link as a notification carries it. */
export interface ShownReplyLink {
  readonly url: string;
  /** Where alone it opens, such as "devbox". */
  readonly machine: string;
  /** How long it holds, ms. */
  readonly forMs: number;
}

/** Said beside the link: mails and Slack are read on phones, too. */
export function replyLinkHint(machine: string, forMs: number): string {
  return `Opens only in a browser on the machine itself ("${machine}"), works once, for ${durationText(forMs)}.`;
}
