import { z } from 'zod';

import type { Message } from './message.ts';

/** Base64 of the first bytes of PNG, JPEG, GIF and WebP (RIFF), as far as whole characters go. */
const IMAGE_STARTS = ['iVBORw0KGg', '/9j/', 'R0lGODdh', 'R0lGODlh', 'UklGR'];
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Requests have no media type, so the service detects it from the bytes. */
function isImage(data: string): boolean {
  if (!IMAGE_STARTS.some((start) => data.startsWith(start))) return false;
  if (!data.startsWith('UklGR')) return true;
  // Sound files begin with RIFF as well; bytes 8 to 11 distinguish them.
  return data.length >= 16 && atob(data.slice(0, 16)).slice(8) === 'WEBP';
}

export const ImageAttachment = z.strictObject({
  data: z
    .string()
    .regex(BASE64, 'expected base64 without a "data:" prefix')
    .refine(isImage, 'expected a PNG, JPEG, GIF or WebP image')
    .describe('Base64 of a PNG, JPEG, GIF or WebP image'),
});
export type ImageAttachment = z.infer<typeof ImageAttachment>;

export const FileAttachment = z
  .strictObject({
    data: z.string().regex(BASE64, 'expected base64').optional().describe('Base64 of the file'),
    parsedData: z.string().optional().describe('The text of the file'),
    name: z.string().min(1, 'expected a name').describe('Name of the file'),
    path: z.string().optional().describe('Where the file lies; tells a local path'),
  })
  .refine(
    ({ data, parsedData }) => data !== undefined || parsedData !== undefined,
    'expected data or parsedData',
  );
export type FileAttachment = z.infer<typeof FileAttachment>;

/** An image to send with a message. */
export function imageAttachment(bytes: Uint8Array): ImageAttachment {
  return ImageAttachment.parse({ data: base64Of(bytes) });
}

/**
 * A PDF or text file to send with a message: text as base64 and as text, anything else as base64 alone. The
 * local path is not sent.
 */
export function fileAttachment(name: string, bytes: Uint8Array): FileAttachment {
  const parsedData = textOf(bytes);
  const data = base64Of(bytes);
  return FileAttachment.parse(
    parsedData === null ? { name, data } : { name, parsedData, ...(data !== '' && { data }) },
  );
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.startsWith('%PDF-') || text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

function base64Of(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // In pieces: the arguments of one call lie on the stack.
  for (let start = 0; start < bytes.length; start += 8_192) {
    pieces.push(String.fromCharCode(...bytes.subarray(start, start + 8_192)));
  }
  return btoa(pieces.join(''));
}

/** The text of a message; blocks without text are skipped. */
export function messageText({ content }: Pick<Message, 'content'>): string {
  return content
    .map(({ text }) => text ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** The text people may see in a notification: null for what is meant for the model only or marked invisible. */
export function textForPeople(message: Message): string | null {
  if (message.visibility === 'llm_only' || message.isUserVisible === false) return null;
  return messageText(message);
}
