import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Notification } from '../../core/notification.ts';
import { cutText } from '../../core/sanitize.ts';
import type { MailAddress } from './address.ts';
import { contentOf, plainText } from './content.ts';
import { htmlText } from './html.ts';

// RFC 2606 reserves "invalid": these names can never be somebody's host.
const ID_DOMAIN = 'hookbell.invalid';
const SUBJECT_MAX = 150;

/**
 * Builds the whole message (RFC 5322). Only the subject holds text of the event; everything else in the headers is
 * constant, from the configuration, or an id of our own.
 *
 * @returns the bytes as they go over the wire
 */
export function composeMessage(
  notification: Notification,
  { from, to, now }: { from: MailAddress; to: readonly MailAddress[]; now: number },
): Promise<Buffer> {
  const content = contentOf(notification);
  const thread = threadId(notification.groupKey);
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
      // Something constant to filter by.
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

/**
 * All mails of a session answer one message that never existed. Mail programs group by it, and nobody has to remember
 * which mail was the first.
 */
function threadId(groupKey: string): string {
  const digest = createHash('sha256').update(groupKey).digest('hex').slice(0, 32);
  return `<session-${digest}@${ID_DOMAIN}>`;
}
