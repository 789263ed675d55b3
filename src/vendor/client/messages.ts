import { z } from 'zod';

import { defineRoutes } from './define-routes.ts';
import {
  EpochUnknown,
  flag,
  incompleteEnum,
  openEnum,
  text,
  textParameter,
} from './schema-parts.ts';
import { askedComputer, sessionId, SessionStatus } from './sessions.ts';

/** Other block fields are not documented; they are kept. */
export const ContentBlock = z.looseObject({ text, id: text });
export type ContentBlock = z.infer<typeof ContentBlock>;

export const Message = z.looseObject({
  id: z.string(),
  role: openEnum(['user', 'assistant', 'tool', 'system']),
  content: z.array(ContentBlock),
  createdAt: EpochUnknown,
  updatedAt: EpochUnknown,
  parentId: text,
  // The interface omits two further literals.
  userMessageSource: incompleteEnum([
    'web',
    'desktop',
    'cli_tui',
    'cli_exec',
    'cli_acp',
    'sessions_api',
    'api',
    'automation',
    'readiness-remediation',
    'readiness-evaluation',
    'wiki-generation',
    'wiki-ci-setup',
  ]).nullish(),
  visibility: openEnum(['both', 'llm_only', 'user_only']).nullish(),
  providerOneMessageId: text,
  providerOnePhase: z.union([openEnum(['commentary', 'final_answer']), z.null()]).optional(),
  providerOneEncryptedContent: text,
  providerOneReasoningId: text,
  providerOneReasoningSummary: text,
  /** @deprecated By the service: accepted, and used nowhere. */
  providerTwoThoughtSignature: text.meta({ deprecated: true }),
  chatCompletionReasoningField: openEnum(['reasoning', 'reasoning_content']).nullish(),
  chatCompletionReasoningContent: text,
  isUserVisible: flag,
  isError: flag,
});
export type Message = z.infer<typeof Message>;

export const AddedMessage = z.looseObject({
  /** Of the created user message. */
  messageId: z.string(),
  /** Of the agent, after the submission. */
  status: SessionStatus,
});
export type AddedMessage = z.infer<typeof AddedMessage>;

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
    path: z.string().optional().describe('Path of the file, which reveals where it is stored'),
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

/** A PDF or text file to send with a message: text as base64 and as text, anything else as base64 alone. */
export function fileAttachment(name: string, bytes: Uint8Array): FileAttachment {
  const parsedData = textOf(bytes);
  const data = base64Of(bytes);
  return FileAttachment.parse(
    parsedData === null ? { name, data } : { name, parsedData, ...(data !== '' && { data }) },
  );
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return decoded.startsWith('%PDF-') || decoded.includes('\0') ? null : decoded;
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
    .map((block) => block.text ?? '')
    .filter((words) => words !== '')
    .join('\n');
}

/** The text people may see in a notification: null for what is meant for the model only or marked invisible. */
export function textForPeople(message: Message): string | null {
  if (message.visibility === 'llm_only' || message.isUserVisible === false) return null;
  return messageText(message);
}

/** The service cannot list messages. */
export const messageRoutes = defineRoutes(
  { family: 'v0' },
  {
    'sessions.addMessage': {
      summary: 'Add a user message to a session',
      method: 'POST',
      path: '/api/v0/sessions/{sessionId}/messages',
      parameters: z.strictObject({
        sessionId,
        text: z
          .string()
          .refine((words) => words.trim() !== '', 'expected a non-empty string')
          .describe('What the user says'),
        images: z.array(ImageAttachment).optional().describe('Images, base64'),
        files: z.array(FileAttachment).optional().describe('PDF or text files'),
        computerId: textParameter
          .optional()
          .describe('Computer to send to (default: the one of the session)'),
      }),
      response: AddedMessage,
      retry: 'never-after-send',
      view: {
        columns: [
          { name: 'message', from: 'messageId' },
          { name: 'agent is', from: 'status' },
        ],
      },
    },
    'sessions.getMessage': {
      summary: 'One message of a session',
      path: '/api/v0/sessions/{sessionId}/messages/{messageId}',
      parameters: z.strictObject({
        sessionId,
        messageId: textParameter.describe('Id of the message'),
        computerId: askedComputer,
      }),
      response: Message,
      view: {
        columns: [
          { name: 'message', from: 'id' },
          { name: 'role', from: 'role' },
          { name: 'source', from: 'userMessageSource' },
          { name: 'visibility', from: 'visibility' },
          { name: 'error', from: 'isError' },
          { name: 'created', from: 'createdAt', kind: 'epoch' },
          { name: 'updated', from: 'updatedAt', kind: 'epoch' },
          { name: 'answers', from: 'parentId' },
          {
            name: 'text',
            from: (item) => {
              const message = Message.safeParse(item).data;
              if (message === undefined) return undefined;
              return textForPeople(message) ?? '(hidden message: use --json)';
            },
            kind: 'lines',
          },
        ],
      },
      command: {
        words: 'messages get <session> <message>',
        description: 'show a message, such as a sent reply',
      },
    },
  },
);
