/*
 * The way back to an agent: requests that are held for an answer, replies and words, each given once and to the request
 * that the person saw. Who is notified, and how a channel draws its buttons, never enters.
 */
import { pause, systemTimer } from '../platform/time.ts';
import type { Log } from '../platform/log.ts';
import type { Paths } from '../core/paths.ts';
import { processExists } from '../platform/process-table.ts';
import type { SentReply } from './send-reply.ts';
import type { Posted } from './answer-by-link.ts';
import type { ApiClient } from '../vendor/api-client.ts';

/** A reply that a person sent from anywhere but the command line. */
interface DeskReply {
  readonly sessionId: string;
  readonly text: string;
  /** The idempotency key of the reply. */
  readonly key: string;
}

/** Sends replies and describes the outcomes in sentences. Never rejects. */
export type ReplyDesk = (reply: DeskReply) => Promise<Posted>;

export function createReplyDesk({
  api,
  paths,
  now,
  log,
}: {
  readonly api: Pick<ApiClient, 'get'>;
  readonly paths: Pick<Paths, 'replies'>;
  readonly now: () => number;
  readonly log: Log;
}): ReplyDesk {
  const underWay = new Map<string, Promise<Posted>>();

  async function send(reply: DeskReply): Promise<Posted> {
    // Most daemons never send one, and the client takes a while to load.
    const [{ postedOf }, { replyJournal }, { sendReply }] = await Promise.all([
      import('./send-reply.ts'),
      import('./reply-journal.ts'),
      import('./send-reply.ts'),
    ]);
    try {
      const sent = await sendReply(reply, {
        api: await api.get(),
        journal: replyJournal(paths.replies, now),
        now,
        pid: process.pid,
        isAlive: processExists,
        sleep: (ms) => pause(ms, systemTimer),
      });
      return { type: 'sent', lines: linesOf(sent) };
    } catch (error) {
      const posted = postedOf(error);
      log.warn({ outcome: posted.type, err: error }, 'A reply was not sent');
      return posted;
    }
  }

  /** A second identical answer gets the outcome of the first, which the journal knows then. */
  return async (reply) => {
    const { key } = reply;
    const before = underWay.get(key);
    const posted = before === undefined ? send(reply) : before.then(() => send(reply));
    underWay.set(key, posted);
    try {
      return await posted;
    } finally {
      if (underWay.get(key) === posted) underWay.delete(key);
    }
  };
}

const receiptTexts = {
  same: 'Verified: the session has your exact text.',
  pending: 'Sent, not yet verified: the session has the message, but not its text yet.',
  different: 'The session has a message with this id, but with another text: check it.',
  unreadable: 'Not verified: the service does not allow reading the message.',
} as const;

function linesOf({ messageId, status, inferred, earlier, receipt }: SentReply): readonly string[] {
  return [
    ...(earlier ? ['It was already sent; nothing was sent now.'] : []),
    ...(inferred
      ? ['The response of the service was lost; the session shows that the message arrived.']
      : []),
    ...(receipt === null ? [] : [receiptTexts[receipt.state]]),
    ...(receipt?.isError === true ? ['The service marks the message as an error.'] : []),
    ...(messageId === null ? [] : [`Message ${messageId}`]),
    ...(status === null ? [] : [`The agent is ${status}.`]),
  ];
}
