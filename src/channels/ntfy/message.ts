import type { Notification, Severity, Tone } from '../../core/notification.ts';
import { roomyBody, toneOf } from '../../core/notification.ts';
import { sha256 } from '../../platform/crypto.ts';
import type { Secret } from '../../text/secret.ts';
import { cutText } from '../../text/sanitize.ts';
import { authorization } from './options.ts';

export type NtfyAction = ReturnType<typeof actionOf>;

/** A button: the phone publishes `body`, signed, and dismisses the notification (`clear`) once that succeeded. */
export function actionOf(
  label: string,
  { server, topic, token }: { server: string; topic: Secret; token: Secret | null },
  body: string,
) {
  const to = { url: `${server}/${topic.reveal()}`, headers: authorization(token) };
  return { action: 'http', label, method: 'POST', ...to, body, clear: true } as const;
}

/** A message as ntfy takes it in JSON (https://docs.ntfy.sh/publish/#publish-as-json). */
export interface NtfyMessage {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
  readonly priority: 1 | 2 | 3 | 4 | 5;
  readonly tags: readonly string[];
  /** Shared by all messages of a session: a newer one replaces the older one on the phone. */
  readonly sequence_id: string;
  readonly actions?: readonly NtfyAction[];
}

/** The server refuses a fourth. */
export const MAX_ACTIONS = 3;

/** The server turns a longer message into an attachment, or refuses it; bytes. */
const MAX_MESSAGE_BYTES = 4_096;
/** Together with the longest message and the buttons below the limit of the whole document; bytes. */
const MAX_TITLE_BYTES = 512;

const priorities: Readonly<Record<Severity, NtfyMessage['priority']>> = {
  critical: 5,
  warning: 4,
  info: 3,
};

/** Short codes that ntfy shows as an emoji before the title (https://docs.ntfy.sh/emojis/). */
const tags: Readonly<Record<Tone, string>> = {
  permission: 'lock',
  question: 'question',
  failed: 'rotating_light',
  done: 'white_check_mark',
  info: 'information_source',
  test: 'bell',
};

/** Whether a message shows a text whole. */
export function fitsNtfyMessage(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
}

/** More than this is not read on a phone, lines. */
const MOST_LINES = 40;

function fitsPhone(text: string): boolean {
  return fitsNtfyMessage(text) && text.split('\n').length <= MOST_LINES;
}

/** Plain, as the apps show it. @param request replaces the body, because all of it is decided; null: the body */
export function ntfyMessage(
  notification: Notification,
  topic: string,
  { request, actions }: { request: string | null; actions: readonly NtfyAction[] },
): NtfyMessage {
  const { title, severity, quietly, groupKey } = notification;
  const body = request ?? roomyBody(notification, fitsPhone);
  return {
    topic,
    title: cutBytes(title, MAX_TITLE_BYTES),
    message: cutBytes(body, MAX_MESSAGE_BYTES),
    priority: quietly ? 2 : priorities[severity],
    tags: [tags[toneOf(notification)]],
    sequence_id: sequenceOf(groupKey),
    ...(actions.length > 0 && { actions }),
  };
}

/** Shown on a server that cannot withdraw a message, without sound, after the answer. */
export function answeredMessage(title: string, topic: string, sequence: string): NtfyMessage {
  return {
    topic,
    title: cutBytes(`No longer waiting: ${title}`, MAX_TITLE_BYTES),
    message: 'Answered, or no longer needed.',
    priority: 1,
    tags: ['white_check_mark'],
    sequence_id: sequence,
  };
}

/** The id of a session's messages. A group key may name a project, which is no one else's business. */
export function sequenceOf(groupKey: string): string {
  return `hookbell-${sha256(groupKey).slice(0, 16)}`;
}

/** Cuts at a grapheme border so that at most `max` bytes in UTF-8 remain. */
function cutBytes(text: string, max: number): string {
  let cut = text;
  for (let bytes = Buffer.byteLength(cut); bytes > max; bytes = Buffer.byteLength(cut)) {
    // The ratio rarely needs a second round: it is that of this text.
    cut = cutText(text, Math.min(cut.length - 1, Math.floor((cut.length * max) / bytes)));
  }
  return cut;
}
