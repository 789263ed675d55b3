import { cutText, displayLine } from './sanitize.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Escapes text for XML, which cannot contain every character. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd'));
}

/** Text of others in HTML on one line, whose direction does not reach beyond it. */
export function lineHtml(text: string, max = Infinity): string {
  return `<bdi>${escapeHtml(cutText(displayLine(text), max))}</bdi>`;
}

/** For XML between tags, and for Slack (https://docs.slack.dev/messaging/formatting-message-text#escaping). */
export function escapeAngles(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A word as a POSIX shell reads it: bare where that is safe, otherwise in single quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
