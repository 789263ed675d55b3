import { z } from 'zod';

import type { ChannelDependencies } from '../../core/channel.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { ConfigError } from '../../platform/errors.ts';
import { Secret } from '../../text/secret.ts';
import { serverAddress, serverFrom } from '../support/web-address.ts';

/** Ids of chats and people have up to 52 significant bits (https://core.telegram.org/bots/api#chat). */
const id = z.int('is not a numeric id, such as 123456789');

export const telegramOptions = z.strictObject({
  token: secretReference.describe(
    'Token of the bot, as @BotFather shows it: { env }, { file } or { command }',
  ),
  chat: id.describe(
    "Numeric id of the chat that receives messages: your own id, or a group's (negative)",
  ),
  members: z
    .array(id.positive('is not the id of a person, which is positive'))
    .optional()
    .describe(
      'Numeric ids of the people whose buttons and replies count; default: you in a private chat, no one in a group',
    ),
  buttons: z
    .boolean()
    .default(true)
    .describe(
      "Whether messages have buttons; set `false` if another program reads the bot's messages",
    ),
  topics: z
    .boolean()
    .default(false)
    .describe('Whether each session gets its own topic, in a group with topics'),
  when_over: z
    .enum(['edit', 'delete'])
    .default('edit')
    .describe('How to handle a message whose request was answered elsewhere'),
  server: serverAddress
    .default('https://api.telegram.org')
    .describe('Address of the Bot API, for a local Bot API server'),
});

/** A bot and the chat it writes to, with its token read. */
export type TelegramTarget = Awaited<ReturnType<typeof readTelegramTarget>>;
export type TelegramOptions = z.output<typeof telegramOptions>;

/** @throws ConfigError that says what is wrong without showing the token */
export async function readTelegramTarget(
  { server, token, chat, members, buttons }: TelegramOptions,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
) {
  const value = await resolveSecret(token);
  const [, botId] = /^(\d{3,16}):[-\w]{20,}$/.exec(value) ?? [];
  if (botId === undefined) {
    throw new ConfigError(
      `Cannot use channel "${name}": "token" is not the token of a bot, such as "123456:ABC…"`,
      { hint: 'Copy it from the chat with @BotFather' },
    );
  }
  // The id of a private chat is that of the person (https://core.telegram.org/bots/api#chat).
  const people = new Set(buttons ? (members ?? (chat > 0 ? [chat] : [])) : []);
  // `members`: whose buttons and replies count; without any, messages have no buttons.
  return { ...serverFrom(server), token: new Secret(value), botId, chat, members: people };
}
