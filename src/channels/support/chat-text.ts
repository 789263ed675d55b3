import type { Notification, Tone } from '../../core/notification.ts';
import { briefBody, replyLinkHint, toneColours, toneOf } from '../../core/notification.ts';

/** An emoji for each tone, so that what failed and what waits differ at a glance. */
export const toneSigns: Readonly<Record<Tone, string>> = {
  permission: '🔒',
  question: '❓',
  failed: '🚨',
  done: '✅',
  info: 'ℹ️',
  test: '🔔',
};

export const POSSIBLE_DUPLICATE = 'Possible duplicate';

/** What a chat shows of a notification, plain and neither escaped nor cut. The colour is "#rrggbb". */
export function chatText(notification: Notification) {
  const { kind, title, body, possibleDuplicate } = notification;
  const tone = toneOf(notification);
  return {
    sign: toneSigns[tone],
    colour: toneColours[tone],
    title,
    body: briefBody(kind, body),
    /** Shown apart from the body; null: nothing. */
    note: possibleDuplicate ? POSSIBLE_DUPLICATE : null,
  };
}

/** The link to the reply page, and a hint, in Markdown; null without one. */
export function replyMarkdown(
  { replyLink }: Notification,
  escape: (text: string) => string,
): string | null {
  if (replyLink === undefined) return null;
  const { url, machine, forMs } = replyLink;
  return `[Answer the agent](${url})\n${escape(replyLinkHint(machine, forMs))}`;
}

/** Invisible, and part of no name, emoji or address. */
export const WORD_JOINER = '\u2060';

/** Escapes for Markdown that takes a backslash before any punctuation, as Discord's. Works character by character. */
export function escapeChat(text: string): string {
  return text.replace(/[\\`*_~|>#+()[\]<:@-]/g, '\\$&').replace(/[@#~:]/g, `$&${WORD_JOINER}`);
}
