import { type Notification, toneOf } from '../../core/notification.ts';
import { escapeHtml } from '../../text/escape.ts';
import { cutText } from '../../text/sanitize.ts';
import { toneSigns } from '../support/chat-text.ts';

/** What a message shows (https://spec.matrix.org/latest/client-server-api/#mtext). */
interface ShownContent {
  readonly msgtype: 'm.text' | 'm.notice';
  readonly body: string;
  readonly format: 'org.matrix.custom.html';
  readonly formatted_body: string;
  /** Empty: the message notifies no one by name, whatever its text says. */
  readonly 'm.mentions': Readonly<Record<string, never>>;
}

/** The content of an event of type `m.room.message`. */
export interface MessageContent extends ShownContent {
  readonly 'm.new_content'?: ShownContent;
  readonly 'm.relates_to'?: Readonly<Record<string, unknown>>;
}

const MAX_TITLE = 300;
/**
 * An event has at most 64 KB (https://spec.matrix.org/latest/client-server-api/#size-limits), in which each character of a body can
 * take 8 bytes: as text, and escaped as HTML. An edit holds its text twice.
 */
const MAX_BODY = 6_000;
const MAX_EDIT = 2_000;

/** The content of a notification: plain text, and the same in HTML without any markup from the notification. */
function shownContent(notification: Notification, max: number): ShownContent {
  const { severity, quietly, kind } = notification;
  const emoji = toneSigns[toneOf(notification)];
  const title = cutText(notification.title.toWellFormed(), MAX_TITLE);
  const body = cutText(notification.body.toWellFormed(), max);
  // By the default rules of clients a notice makes no sound.
  const isNotice = quietly || (severity === 'info' && kind !== 'test');
  return {
    msgtype: isNotice ? 'm.notice' : 'm.text',
    body: `${emoji} ${title}\n${body}`,
    format: 'org.matrix.custom.html',
    formatted_body: `${emoji} <strong>${escapeHtml(title)}</strong><br><pre><code>${escapeHtml(body)}</code></pre>`,
    'm.mentions': {},
  };
}

/**
 * The message of a notification (https://spec.matrix.org/latest/client-server-api/#threading).
 *
 * @param thread the first message of the session; null: this is the first one, or there are no threads
 */
export function matrixMessage(notification: Notification, thread: string | null): MessageContent {
  const content = shownContent(notification, MAX_BODY);
  if (thread === null) return content;
  const relation = {
    rel_type: 'm.thread',
    event_id: thread,
    is_falling_back: true,
    'm.in_reply_to': { event_id: thread },
  };
  return { ...content, 'm.relates_to': relation };
}

/** Replaces the text of an event (https://spec.matrix.org/latest/client-server-api/#event-replacements). */
export function editOf(notification: Notification, event: string): MessageContent {
  const content = shownContent(notification, MAX_EDIT);
  return {
    ...content,
    body: `* ${content.body}`,
    formatted_body: `* ${content.formatted_body}`,
    'm.new_content': content,
    'm.relates_to': { rel_type: 'm.replace', event_id: event },
  };
}
