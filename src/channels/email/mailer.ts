import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';

import { sha256 } from '../../platform/crypto.ts';
import type { Channel, ChannelDependencies, SendContext } from '../../core/channel.ts';
import type { Notification } from '../../core/notification.ts';
import { failed, type Outcome, retry } from '../../core/outcome.ts';
import { PERSONAL_DIGEST, SERVICE } from '../../core/source-event.ts';
import { cutText } from '../../text/sanitize.ts';
import { contentOf, htmlText, plainText } from './content.ts';
import { type EmailOptions, type MailAddress, parseMailAddress } from './email-options.ts';
import {
  addresseesOf,
  readProgress,
  type RecipientRefusal,
  recipientsOutcome,
} from './mail-recipients.ts';
import {
  checkLogin,
  replyQuote,
  smtpSettings,
  type SmtpTrouble,
  smtpTrouble,
} from './smtp-settings.ts';

// RFC 2606 reserves "invalid": these names can never be a real host.
const ID_DOMAIN = 'hookbell.invalid';
const SUBJECT_MAX = 150;

/** Only the subject holds text of the event (RFC 5322). Returns the bytes as they go over the wire. */
export function composeMessage(
  notification: Notification,
  { from, to, now }: { from: MailAddress; to: readonly MailAddress[]; now: number },
): Promise<Buffer> {
  const content = contentOf(notification);
  // All mails of a session reply to one message that never existed, by which mail programs group them.
  const thread = `<session-${sha256(notification.groupKey).slice(0, 32)}@${ID_DOMAIN}>`;
  return new MailComposer({
    from: { ...from },
    to: to.map((address) => ({ ...address })),
    subject: cutText(content.title, SUBJECT_MAX),
    date: new Date(now),
    // The same in every attempt, so that mail stores can recognise a repeat.
    messageId: `<${notification.deliveryId}@${ID_DOMAIN}>`,
    inReplyTo: thread,
    references: [thread],
    headers: {
      // RFC 3834: keeps vacation programs quiet; the second one does so for Exchange.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      // A constant to filter by.
      'List-Id': `hookbell <notifications.${ID_DOMAIN}>`,
    },
    text: plainText(content),
    html: notification.page ?? htmlText(content),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

/** A pool of at most two connections. @throws ConfigError when the password or the authorities cannot be read */
export async function createMailer(
  options: EmailOptions,
  dependencies: ChannelDependencies,
): Promise<Channel> {
  const settings = await smtpSettings(options.smtp, dependencies);
  const transport = createTransport({
    ...settings,
    pool: true,
    maxConnections: 2,
    idleTimeout: 60_000,
    // Only a message of which no byte was sent is queued again, once: on a connection that the server had dropped while
    // idle, or before its greeting. The delivery worker repeats everything else.
    maxRequeues: 1,
  });
  // Completely read messages: the server may have all of them, whatever its response.
  const handedOver = new WeakSet<object>();
  transport.use('stream', ({ data, message }, done) => {
    const note = () => Buffer.isBuffer(data.raw) && handedOver.add(data.raw);
    message.processFunc((stream) => stream.once('end', note));
    done();
  });
  const quote = replyQuote(settings.auth);
  const from = senderOf(options);

  async function send(notification: Notification, context: SendContext): Promise<Outcome> {
    const { carry, signal } = context;
    const addressees = addresseesOf(options, notification.recipient);
    if (options.to === 'person' && !addressees.person) {
      return failed(`It is for one person only, and ${addressees.problem ?? 'no person is known'}`);
    }
    if (!addressees.person && isForOneAlone(notification)) {
      const why = addressees.problem ?? 'the channel writes to its own recipients';
      return retry(`It is for one person only, and ${why}`);
    }
    const progress = readProgress(carry, addressees);
    if (progress.left.length === 0) {
      return failed('Cannot send mail: the remaining recipients are no longer configured');
    }
    const { to } = addressees;
    const message = await composeMessage(notification, { from, to, now: dependencies.now() });
    try {
      const { rejectedErrors = [] } = await transport.sendMail({
        envelope: { from: from.address, to: [...progress.left] },
        raw: message,
        signal,
      });
      return recipientsOutcome(progress, addressees, rejectedErrors, quote);
    } catch (error) {
      const refusals = refusalsOf(error);
      if (refusals.length > 0) return recipientsOutcome(progress, addressees, refusals, quote);
      const possibleDuplicate = handedOver.has(message) && !hasReply(error);
      return outcomeOf(smtpTrouble(error, settings, quote), { carry, possibleDuplicate });
    }
  }

  return {
    needsRecipient: options.to_concerned,
    send,
    check: (signal) => checkLogin(settings, signal),
    close: () => {
      transport.close({ force: true });
      return Promise.resolve();
    },
  };
}

function senderOf({ from, to, smtp }: EmailOptions): MailAddress {
  if (from !== undefined) return from;
  const user = parseMailAddress(smtp.user ?? '');
  const [first] = to === 'person' ? [] : to;
  const address = 'address' in user ? user.address : first?.address;
  return { name: 'hookbell', address: address ?? '' };
}

function refusalsOf(error: unknown): readonly RecipientRefusal[] {
  const refusals: unknown =
    error instanceof Error && 'rejectedErrors' in error ? error.rejectedErrors : null;
  return Array.isArray(refusals) ? refusals : [];
}

function hasReply(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && error.responseCode !== undefined;
}

function outcomeOf(
  { lasts, reason, hint }: SmtpTrouble,
  { carry, possibleDuplicate }: { carry: string | null; possibleDuplicate: boolean },
): Outcome {
  const sentence = hint === undefined ? reason : `${reason}. ${hint}`;
  if (lasts === 'broken') return failed(sentence, { channelBroken: true });
  if (lasts === 'final') return failed(sentence);
  return retry(sentence, {
    ...(carry !== null && { carry }),
    ...(possibleDuplicate && { possibleDuplicate }),
  });
}

/** A person's private data must not reach the recipients of the channel. */
function isForOneAlone({ agent, event }: Notification): boolean {
  return agent === SERVICE && event === PERSONAL_DIGEST;
}
