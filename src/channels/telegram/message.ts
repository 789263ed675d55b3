import { type Notification, toneOf } from '../../core/notification.ts';
import { sha256 } from '../../platform/crypto.ts';
import { cutText } from '../../text/sanitize.ts';
import { POSSIBLE_DUPLICATE, toneSigns } from '../support/chat-text.ts';
import type { Button } from '../support/signed-buttons.ts';

/** A button in a message (https://core.telegram.org/bots/api#inlinekeyboardbutton). */
export interface KeyboardButton {
  readonly text: string;
  /** 1 to 64 bytes. */
  readonly callback_data: string;
}

interface Entity {
  readonly type: 'code' | 'pre';
  readonly offset: number;
  readonly length: number;
}

/** A text has 1 to 4,096 characters (https://core.telegram.org/bots/api#sendmessage); UTF-16 units are at least as many. */
const MAX_TEXT = 4_096;
const MAX_TITLE = 256;
/** What is left beside the longest title, its emoji, the line feeds and the remark. */
const MAX_BODY = MAX_TEXT - MAX_TITLE - POSSIBLE_DUPLICATE.length - 16;
const MAX_TOPIC = 128;

/** Whether a message shows a text whole. */
export function fitsTelegramMessage(text: string): boolean {
  return text.length <= MAX_BODY;
}

/**
 * The parameters of `sendMessage` and `editMessageText` that show a notification. Title and body are marked as code: Telegram looks for links, mentions and commands in every
 * other text, so that an agent's text could link, or notify people of a group.
 *
 * @param request replaces the body, because all of it is decided; null: the body
 */
export function telegramMessage(notification: Notification, request: string | null) {
  const parts: readonly { readonly text: string; readonly type: Entity['type'] | null }[] = [
    { text: `${toneSigns[toneOf(notification)]} `, type: null },
    { text: cutText(clean(notification.title), MAX_TITLE), type: 'code' },
    { text: '\n', type: null },
    { text: cutText(clean(request ?? notification.body), MAX_BODY), type: 'pre' },
    { text: notification.possibleDuplicate ? `\n${POSSIBLE_DUPLICATE}` : '', type: null },
  ];
  const entities: Entity[] = [];
  let text = '';
  for (const part of parts) {
    const { type } = part;
    if (type !== null && part.text !== '') {
      entities.push({ type, offset: text.length, length: part.text.length });
    }
    text += part.text;
  }
  return { text, entities, link_preview_options: { is_disabled: true } };
}

/** The API refuses lone surrogates, and trims a text, which would move the entities. */
function clean(text: string): string {
  return text.toWellFormed().trim();
}

/** The name of a session's topic, 1 to 128 characters (https://core.telegram.org/bots/api#createforumtopic). */
export function topicName({ project, sessionTitle, agent }: Notification): string {
  const known = [project, sessionTitle].filter((part) => part !== null && part.trim() !== '');
  return cutText(clean(known.length > 0 ? known.join(': ') : agent), MAX_TOPIC);
}

/** Rows of buttons: two that decide side by side, options each in a row, then what concerns the alert. */
export function keyboardOf(
  deciding: readonly Button[],
  others: readonly Button[],
  sign: (act: string) => string,
): readonly (readonly KeyboardButton[])[] {
  const options = deciding.filter(({ act }) => act.startsWith('option')).map((one) => [one]);
  const rest = deciding.filter(({ act }) => !act.startsWith('option'));
  return [...options, rest, others]
    .filter((row) => row.length > 0)
    .map((row) => row.map(({ act, label }) => ({ text: label, callback_data: sign(act) })));
}

/** Identifies what a message shows: its text and its buttons, each in 16 characters. */
export function fingerprint(
  text: string,
  keyboard: readonly (readonly KeyboardButton[])[] | undefined,
): string {
  const rows = (keyboard ?? []).map((row) =>
    row.map(({ text: label, callback_data: data }) => [label, data]),
  );
  return `${textFingerprint(text)}${textFingerprint(JSON.stringify(rows))}`;
}

/** The first half of the `fingerprint` of a message with this text. */
export function textFingerprint(text: string): string {
  return sha256(text).slice(0, 16);
}
