import { durationText } from '../text/duration.ts';

/** A link to answer a session, once, on a page of this machine. Its token is not stored. */
export interface ReplyLink {
  /** SHA-256 of the token, in hex. */
  readonly tokenHash: string;
  /** The session and event it answers. */
  readonly eventId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When the event was answered, through this link or another one; null: not answered. */
  readonly usedAt: number | null;
  /**
   * `unknown`: the reply may or may not have arrived. Also null while it is being sent, or if the daemon ended
   * meanwhile.
   */
  readonly outcome: 'sent' | 'unknown' | null;
}

/** The part of the store with reply links. */
export interface ReplyLinkStore {
  add(link: Pick<ReplyLink, 'tokenHash' | 'eventId' | 'createdAt' | 'expiresAt'>): Promise<void>;
  find(tokenHash: string): Promise<ReplyLink | null>;
  /** Claims the reply: true for exactly one caller per event; false for a used, expired or unknown link. */
  use(tokenHash: string, now: number): Promise<boolean>;
  /** Records the outcome of the answer; `refused` makes the links to the event usable again. */
  settle(tokenHash: string, outcome: 'sent' | 'unknown' | 'refused', now: number): Promise<void>;
}

/** The link in a notification. */
export interface ShownReplyLink {
  /** True if its page decides a request; absent: it sends text to the session. */
  readonly decides?: true;
  readonly url: string;
  /** The only machine where it opens, such as "devbox". */
  readonly machine: string;
  /** Validity, ms. */
  readonly forMs: number;
}

/** Shown beside the link: mails and Slack are also read on phones. */
export function replyLinkHint(machine: string, forMs: number): string {
  return `Opens only in a browser on the machine "${machine}", works once, for ${durationText(forMs)}.`;
}
