import { z } from 'zod';

/** Limits of the Bot API 9, from https://core.telegram.org/bots/api (no server of Telegram was used). */
const entity = z.strictObject({
  type: z.enum(['code', 'pre']),
  offset: z.int().min(0),
  length: z.int().min(1),
});

const button = z.strictObject({
  text: z.string().min(1),
  callback_data: z.string().refine((data) => {
    const bytes = Buffer.byteLength(data);
    return bytes >= 1 && bytes <= 64;
  }, 'BUTTON_DATA_INVALID'),
});

const text = z
  .string()
  .refine((value) => value.trim() !== '', 'message text is empty')
  .refine((value) => Array.from(value.trim()).length <= 4_096, 'message is too long')
  .refine((value) => value.isWellFormed(), 'strings must be encoded in UTF-8');

const shown = {
  chat_id: z.int(),
  text,
  entities: z.array(entity).max(100).optional(),
  link_preview_options: z.strictObject({ is_disabled: z.boolean() }).optional(),
  reply_markup: z
    .strictObject({ inline_keyboard: z.array(z.array(button).max(8)).max(100) })
    .optional(),
};

/** The parameters of the methods that a channel uses, strictly. */
export const botMethods = {
  getMe: z.strictObject({}),
  getChat: z.strictObject({ chat_id: z.int() }),
  getUpdates: z.strictObject({
    offset: z.int().optional(),
    limit: z.int().min(1).max(100),
    timeout: z.int().min(0),
    allowed_updates: z.array(z.string()),
  }),
  sendMessage: z.strictObject({
    ...shown,
    message_thread_id: z.int().optional(),
    disable_notification: z.boolean().optional(),
    reply_parameters: z.strictObject({ message_id: z.int() }).optional(),
  }),
  editMessageText: z.strictObject({ ...shown, message_id: z.int() }),
  deleteMessage: z.strictObject({ chat_id: z.int(), message_id: z.int() }),
  createForumTopic: z.strictObject({ chat_id: z.int(), name: z.string().min(1).max(128) }),
  answerCallbackQuery: z.strictObject({ callback_query_id: z.string(), text: z.string().max(200) }),
} as const;

export type SentText = z.output<typeof botMethods.sendMessage>;

/** Links, mentions, hashtags, commands and addresses, as the service finds them outside of code. */
const FOUND = /https?:\/\/\S+|\b[\w-]+\.(?:com|org|net|io|example)\b|@\w{3,}|#\w+|(?:^|\s)\/\w+/giu;

/** The entities of a message as its readers get them: those given, and what the service finds in the rest of the text. */
export function shownEntities({
  text: whole,
  entities = [],
}: Pick<SentText, 'text' | 'entities'>): readonly string[] {
  const rest = entities.reduceRight(
    (left, { offset, length }) =>
      left.slice(0, offset) + '\n'.repeat(length) + left.slice(offset + length),
    whole,
  );
  return [...entities.map(({ type }) => type), ...(rest.match(FOUND) ?? []).map(() => 'found')];
}
