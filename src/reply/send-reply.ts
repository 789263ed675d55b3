import { createHash } from 'node:crypto';

import type { Client, Message, ParametersOf, Session } from '../vendor/client/index.ts';
import { AmbiguousWriteError, ApiError, messageText } from '../vendor/client/index.ts';
import { FailedError, HookbellError } from '../platform/errors.ts';
import type { ReplyJournal, ReplyRecord } from './reply-journal.ts';

export interface Reply extends Readonly<ParametersOf<'sessions.addMessage'>> {
  /** Names it over all tries: under one key it is sent once and for all. Null: it is one with the same content. */
  readonly key: string | null;
}

/** The message, read back from the service. */
export interface Receipt {
  /**
   * - `same`: the session has the words
   * - `pending`: the message is there, but not yet with a text
   * - `different`: the service has another text under this id
   * - `unreadable`: it does not show the message
   */
  readonly state: 'same' | 'pending' | 'different' | 'unreadable';
  /** The service marks it as an error. */
  readonly isError: boolean;
}

export interface SentReply {
  readonly messageId: string | null;
  /** Of the agent, after it; null where that is not known. */
  readonly status: string | null;
  /** True where the answer was lost: that it is there follows from the session. */
  readonly inferred: boolean;
  /** True where an earlier try had sent it: this one has sent nothing. */
  readonly earlier: boolean;
  /** Null where there is no id to read it by. */
  readonly receipt: Receipt | null;
  /** The person knows: the same words are a new reply from now on. */
  readonly told: () => void;
}

export interface ReplyParts {
  readonly api: Pick<Client, 'sessions'>;
  readonly journal: ReplyJournal;
  readonly now: () => number;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of the session right before the reply goes out. */
  readonly onSending?: (session: Session) => void;
}

/** Thrown when nobody can tell whether the reply arrived: it is not sent again. */
export class UnknownReplyError extends HookbellError {
  override readonly name = 'UnknownReplyError';
}

/** Thrown when a reply with other words was sent under the same key before: this one is not sent. */
export class OtherReplyError extends HookbellError {
  override readonly name = 'OtherReplyError';
}

/** A process is not at it for longer: its number belongs to another one by now, ms. */
const LONGEST_SEND_MS = 600_000;
/** The service may still be at a message that was sent so little ago, ms. */
const SETTLED_AFTER_MS = 10_000;
const GRACE_MS = 2_000;

/**
 * Sends a reply once, whatever dies in between: it is written down before it goes out, and a try that finds it there
 * looks at the session first. The service knows no key to recognise a repeat by, and has no list of messages.
 *
 * @throws ApiError as the client does; UnknownReplyError; OtherReplyError; FailedError while another process sends the same
 */
export async function sendReply(reply: Reply, parts: ReplyParts): Promise<SentReply> {
  const { api, journal, now, pid } = parts;
  const { key, ...message } = reply;
  const [name, words] = [nameOf(reply), wordsOf(reply)];
  const told = (): void => {
    if (key === null) journal.forget(name);
  };
  const former = journal.read(name);
  const settled = former === null ? null : await settle(former, message, parts);
  if (settled !== null) {
    journal.write(name, settled);
    if ((settled.words ?? words) !== words) throw other();
    const { messageId } = settled;
    const receipt = messageId === null ? null : await readBack(api, message, messageId);
    const inferred = messageId === null;
    return { messageId, status: null, inferred, earlier: true, receipt, told };
  }

  let record: ReplyRecord | null = null;
  try {
    const added = await api.sessions.addMessage(message, {
      onBefore(session) {
        const { status, messageCount, updatedAt } = session;
        const begun: ReplyRecord = {
          sessionId: message.sessionId,
          startedAt: now(),
          pid,
          state: 'sending',
          before: { status, messageCount, updatedAt },
          messageId: null,
          words,
        };
        if (!journal.begin(name, begun, former)) throw busy();
        record = begun;
        parts.onSending?.(session);
      },
    });
    const messageId = added.inferred ? null : added.answer.messageId;
    if (record !== null)
      journal.write(name, { ...asRecord(record), state: 'delivered', messageId });
    const receipt = messageId === null ? null : await readBack(api, message, messageId);
    const status = added.inferred ? added.status : added.answer.status;
    return { messageId, status, inferred: added.inferred, earlier: false, receipt, told };
  } catch (error) {
    if (record !== null) {
      // Anything else was refused before the service took it, or never left.
      if (mayHaveArrived(error)) journal.write(name, { ...asRecord(record), state: 'unknown' });
      else journal.forget(name);
    }
    throw error;
  }
}

/** TypeScript does not see that a callback has set it. */
function asRecord(record: ReplyRecord): ReplyRecord {
  return record;
}

function mayHaveArrived(error: unknown): boolean {
  return error instanceof AmbiguousWriteError || !(error instanceof ApiError);
}

/**
 * Finds out what became of an earlier try.
 *
 * @returns null where it did not arrive, so that it may be sent
 */
async function settle(
  former: ReplyRecord,
  { sessionId, computerId }: Omit<Reply, 'key'>,
  { api, now, isAlive, sleep }: ReplyParts,
): Promise<ReplyRecord | null> {
  if (former.state === 'delivered') return former;
  const age = now() - former.startedAt;
  if (former.state === 'sending' && age < LONGEST_SEND_MS && isAlive(former.pid)) throw busy();
  const look = () => api.sessions.get({ sessionId, computerId });
  let session = await look();
  if (isUnmoved(former, session) && age < SETTLED_AFTER_MS) {
    await sleep(GRACE_MS);
    session = await look();
  }
  if (isUnmoved(former, session)) return null;
  // While an agent is busy, its own messages move the count as well.
  const { status, messageCount } = former.before;
  if (session.messageCount > messageCount && status === 'idle') {
    return { ...former, state: 'delivered' };
  }
  throw new UnknownReplyError(
    'Cannot tell whether this reply arrived when it was sent before: the session has moved since, but perhaps for another reason',
    { hint: 'Nothing was sent now. Look at the session; other words are a new reply' },
  );
}

function isUnmoved({ before }: ReplyRecord, session: Session): boolean {
  return session.messageCount === before.messageCount && session.updatedAt === before.updatedAt;
}

function busy(): FailedError {
  return new FailedError('Cannot send the reply: another process is sending the same one now', {
    hint: 'Wait until it is done',
  });
}

function other(): OtherReplyError {
  return new OtherReplyError('Another reply was sent before under the same key', {
    hint: 'Nothing was sent now. To say more is a reply without a key, or under another one',
  });
}

async function readBack(
  api: Pick<Client, 'sessions'>,
  { sessionId, computerId, text }: Omit<Reply, 'key'>,
  messageId: string,
): Promise<Receipt> {
  let message: Message;
  try {
    message = await api.sessions.getMessage({ sessionId, messageId, computerId });
  } catch (error) {
    // It was sent: that it cannot be read is no reason to say otherwise.
    if (error instanceof ApiError) return { state: 'unreadable', isError: false };
    throw error;
  }
  return { state: stateOf(message, text), isError: message.isError === true };
}

/**
 * Services trim a text, change its line ends, and put attachments into blocks beside it: none of that makes it another
 * text. A message without any text is one that the service has not finished.
 */
function stateOf(message: Message, text: string): Receipt['state'] {
  if (message.role !== 'user') return 'different';
  const wanted = comparable(text);
  const blocks = message.content.map((block) => comparable(block.text ?? ''));
  if (blocks.includes(wanted) || comparable(messageText(message)) === wanted) return 'same';
  return blocks.every((block) => block === '') ? 'pending' : 'different';
}

function comparable(text: string): string {
  return text.replaceAll('\r\n', '\n').normalize('NFC').trim();
}

/** A file name that tells nothing of the words. */
function nameOf(reply: Reply): string {
  return reply.key === null ? wordsOf(reply) : hashOf({ key: reply.key });
}

/** With the key in it, if there is one: who does not know that cannot try out what short words were. */
function wordsOf({ key, sessionId, text, images, files, computerId }: Reply): string {
  const content = { sessionId, text, images, files, computerId };
  return hashOf(key === null ? content : { key, ...content });
}

function hashOf(what: object): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}
