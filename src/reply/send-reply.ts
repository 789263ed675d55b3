import { sha256 } from '../platform/crypto.ts';
import {
  AmbiguousWriteError,
  ApiError,
  type Client,
  type Message,
  messageText,
  type ParametersOf,
  RateLimitError,
  type Session,
} from '../vendor/client/index.ts';
import { FailedError, HookbellError } from '../platform/errors.ts';
import type { ReplyJournal, ReplyRecord } from './reply-journal.ts';
import { durationText } from '../text/duration.ts';
import { displayText } from '../text/sanitize.ts';
import type { Posted } from './answer-by-link.ts';

export interface Reply extends Readonly<ParametersOf<'sessions.addMessage'>> {
  /** Identifies it over all attempts: under one key it is sent only once. Null: identified by its content. */
  readonly key: string | null;
}

export interface Receipt {
  /**
   * - `same`: the session has the words
   * - `pending`: the message is there, but not yet with a text
   * - `different`: the service has another text under this id
   * - `unreadable`: it does not show the message
   */
  readonly state: 'same' | 'pending' | 'different' | 'unreadable';
  readonly isError: boolean;
}

export interface SentReply {
  readonly messageId: string | null;
  /** Of the agent, afterwards; null if unknown. */
  readonly status: string | null;
  /** True if the response was lost: the session shows that it arrived. */
  readonly inferred: boolean;
  /** True if an earlier attempt sent it: this one sent nothing. */
  readonly earlier: boolean;
  /** Null if no id is known to read it by. */
  readonly receipt: Receipt | null;
  /** The person has seen the outcome: the same text is a new reply from now on. */
  readonly acknowledge: () => void;
}

export interface ReplyParts {
  readonly api: Pick<Client, 'sessions'>;
  readonly journal: ReplyJournal;
  readonly now: () => number;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called with the session right before the reply is sent. */
  readonly onSending?: (session: Session) => void;
}

/** Thrown if whether the reply arrived is unknown: it is not sent again. */
export class UnknownReplyError extends HookbellError {
  override readonly name = 'UnknownReplyError';
}

/** Thrown if another text was sent under the same key before: this one is not sent. */
export class OtherReplyError extends HookbellError {
  override readonly name = 'OtherReplyError';
}

/** A process sends for at most this long: after it, its number belongs to another one, ms. */
const LONGEST_SEND_MS = 600_000;
/** The service may still be processing a message sent this recently, ms. */
const UNMOVED_AFTER_MS = 10_000;
const GRACE_MS = 2_000;

/**
 * Sends a reply once, even if processes die in between: it is recorded before it is sent, and an attempt that finds a
 * record checks the session first. The service has no idempotency key, and no list of messages.
 *
 * @throws ApiError as the client does; UnknownReplyError; OtherReplyError; FailedError while another process sends the same
 */
export async function sendReply(reply: Reply, parts: ReplyParts): Promise<SentReply> {
  const { api, journal, now, pid } = parts;
  const { key, ...message } = reply;
  const [name, words] = [nameOf(reply), wordsOf(reply)];
  const acknowledge = (): void => {
    if (key === null) journal.forget(name);
  };
  const former = journal.read(name);
  const determined = former === null ? null : await determineOutcome(former, message, parts);
  if (determined !== null) {
    journal.write(name, determined);
    if (determined.words !== words) throw other();
    const { messageId } = determined;
    const receipt = messageId === null ? null : await readBack(api, message, messageId);
    const inferred = messageId === null;
    return { messageId, status: null, inferred, earlier: true, receipt, acknowledge };
  }

  const sent: { record: ReplyRecord | null } = { record: null };
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
        sent.record = begun;
        parts.onSending?.(session);
      },
    });
    const messageId = added.inferred ? null : added.answer.messageId;
    if (sent.record !== null)
      journal.write(name, { ...sent.record, state: 'delivered', messageId });
    const receipt = messageId === null ? null : await readBack(api, message, messageId);
    const status = added.inferred ? added.status : added.answer.status;
    return { messageId, status, inferred: added.inferred, earlier: false, receipt, acknowledge };
  } catch (error) {
    if (sent.record !== null) {
      // Any other request was refused before the service accepted it, or was never sent.
      if (mayHaveArrived(error)) journal.write(name, { ...sent.record, state: 'unknown' });
      else journal.forget(name);
    }
    throw error;
  }
}

function mayHaveArrived(error: unknown): boolean {
  return error instanceof AmbiguousWriteError || !(error instanceof ApiError);
}

/** Returns null where an earlier attempt did not arrive, so that it may be sent. */
async function determineOutcome(
  former: ReplyRecord,
  { sessionId, computerId }: Omit<Reply, 'key'>,
  { api, now, isAlive, sleep }: ReplyParts,
): Promise<ReplyRecord | null> {
  if (former.state === 'delivered') return former;
  const age = now() - former.startedAt;
  if (former.state === 'sending' && age < LONGEST_SEND_MS && isAlive(former.pid)) throw busy();
  const look = () => api.sessions.get({ sessionId, computerId });
  let session = await look();
  if (isUnmoved(former, session) && age < UNMOVED_AFTER_MS) {
    await sleep(GRACE_MS);
    session = await look();
  }
  if (isUnmoved(former, session)) return null;
  // While an agent is busy, its own messages change the count as well.
  const { status, messageCount } = former.before;
  if (session.messageCount > messageCount && status === 'idle') {
    return { ...former, state: 'delivered' };
  }
  throw new UnknownReplyError(
    'Cannot determine whether an earlier attempt sent this reply: the session has changed since, perhaps for another reason',
    { hint: 'Nothing was sent now. Check the session; a reply with another text is a new one' },
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
    hint: 'Nothing was sent now. To send more, reply without a key or with another one',
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
    // It was sent: a failed read does not change that.
    if (error instanceof ApiError) return { state: 'unreadable', isError: false };
    throw error;
  }
  return { state: stateOf(message, text), isError: message.isError === true };
}

/** Services trim a text, change its line ends, and put attachments beside it. Without any text it is not finished. */
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

/** A file name that reveals nothing of the text. */
function nameOf(reply: Reply): string {
  return reply.key === null ? wordsOf(reply) : sha256(JSON.stringify({ key: reply.key }));
}

/** Includes the key, if any, so that short texts cannot be guessed without it. */
function wordsOf({ key, sessionId, text, images, files, computerId }: Reply): string {
  const content = { sessionId, text, images, files, computerId };
  return sha256(JSON.stringify(key === null ? content : { key, ...content }));
}

/** The text of a failed reply on the page. */
export function postedOf(error: unknown): Exclude<Posted, { readonly type: 'sent' }> {
  if (error instanceof AmbiguousWriteError && error.outcome === 'unknown') {
    return { type: 'unknown', reason: displayText(error.message) };
  }
  if (error instanceof ApiError) {
    const wait = error instanceof RateLimitError ? waitText(error.retryAfterMs) : '';
    const hint = error.hint === undefined ? '' : ` ${error.hint}`;
    return { type: 'refused', reason: `${displayText(error.message)}${hint}${wait}` };
  }
  if (!(error instanceof HookbellError)) {
    return { type: 'unknown', reason: 'Unexpected error; see "hookbell logs"' };
  }
  if (error instanceof UnknownReplyError) return { type: 'unknown', reason: error.message };
  if (error instanceof OtherReplyError) return { type: 'answered', reason: error.message };
  // Another process is sending it; or the configuration or a secret cannot be used.
  return { type: error instanceof FailedError ? 'busy' : 'refused', reason: error.message };
}

function waitText(retryAfterMs: number | null): string {
  return retryAfterMs === null
    ? ' Try again in a few minutes.'
    : ` Try again in ${durationText(retryAfterMs)}.`;
}
