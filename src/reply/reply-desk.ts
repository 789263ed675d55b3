import { setTimeout as delay } from 'node:timers/promises';

import type { Log } from '../platform/log.ts';
import type { Paths } from '../core/paths.ts';
import { isAlive } from '../platform/process-table.ts';
import type { SentReply } from './send-reply.ts';
import type { Posted } from './answer-by-link.ts';
import type { ApiClient } from '../vendor/api-client.ts';

export interface ReplyDeskOptions {
  readonly api: ApiClient;
  readonly paths: Pick<Paths, 'replies'>;
  readonly now: () => number;
  readonly log: Log;
}

/** A reply that a person gave somewhere else than on the command line. */
export interface DeskReply {
  readonly sessionId: string;
  readonly text: string;
  /** Under it the reply is sent once. */
  readonly key: string;
}

/** Sends replies and says in sentences what became of them. Never rejects. */
export type ReplyDesk = (reply: DeskReply) => Promise<Posted>;

export function createReplyDesk(options: ReplyDeskOptions): ReplyDesk {
  const { api, paths, now, log } = options;
  /** What is being sent, by key. */
  const underWay = new Map<string, Promise<Posted>>();

  async function send(reply: DeskReply): Promise<Posted> {
    // Most daemons never send one, and the client takes a while to load.
    const [{ postedOf }, { replyJournal }, { sendReply }] = await Promise.all([
      import('./posted-of.ts'),
      import('./reply-journal.ts'),
      import('./send-reply.ts'),
    ]);
    try {
      const sent = await sendReply(reply, {
        api: await api.get(),
        journal: replyJournal(paths.replies, now),
        now,
        pid: process.pid,
        isAlive,
        sleep: (ms) => delay(ms),
      });
      return { type: 'sent', lines: linesOf(sent) };
    } catch (error) {
      const posted = postedOf(error);
      log.warn({ outcome: posted.type, err: error }, 'A reply was not sent');
      return posted;
    }
  }

  /** Who answers twice at once is told what became of the first, which the journal knows then. */
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
  same: 'Read back: the session has it, word for word.',
  pending: 'Sent, not yet confirmed: the session has the message, but not its text yet.',
  different: 'The session has a message under this id, but not these words: look at it.',
  unreadable: 'The service does not let it be read back.',
} as const;

function linesOf({ messageId, status, inferred, earlier, receipt }: SentReply): readonly string[] {
  return [
    ...(earlier ? ['It was sent before: nothing was sent now.'] : []),
    ...(inferred
      ? ['The answer of the service was lost; that the message is there follows from the session.']
      : []),
    ...(receipt === null ? [] : [receiptTexts[receipt.state]]),
    ...(receipt?.isError === true ? ['The service marks the message as an error.'] : []),
    ...(messageId === null ? [] : [`Message ${messageId}`]),
    ...(status === null ? [] : [`The agent is ${status}.`]),
  ];
}
