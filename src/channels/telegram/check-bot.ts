import { z } from 'zod';

import type { ChannelCheck } from '../../core/channel.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CallBot } from './bot-api.ts';
import type { TelegramOptions, TelegramTarget } from './options.ts';
import type { PollTrouble } from './update-poller.ts';

const user = z.object({ username: z.string() });
const fullChat = z.object({ type: z.string(), is_forum: z.boolean().optional() });

/** Whether the token is accepted and the bot knows the chat, without sending. */
export async function checkBot(
  { hostname, chat, members }: TelegramTarget,
  { topics, buttons }: Pick<TelegramOptions, 'topics' | 'buttons'>,
  { call, trouble, signal }: { call: CallBot; trouble: PollTrouble | null; signal: AbortSignal },
): Promise<ChannelCheck> {
  const me = await call('getMe', {}, signal);
  if (me.outcome.type !== 'delivered') {
    const isRefused = me.outcome.type === 'failed' && me.outcome.channelBroken === true;
    if (!isRefused) return { ok: false, summary: me.outcome.reason };
    const hint = 'Ask @BotFather for the token with /token, and put it into "token"';
    return { ok: false, summary: `"${hostname}" refuses the bot token`, hint };
  }
  const name = displayLine(user.safeParse(me.result).data?.username ?? 'bot');
  const found = await call('getChat', { chat_id: chat }, signal);
  if (found.outcome.type !== 'delivered') {
    return {
      ok: false,
      summary: `@${name} cannot write to chat ${chat}`,
      hint: `Send /start to @${name} or add it to the group, and put the numeric id into "chat"`,
    };
  }
  if (topics && fullChat.safeParse(found.result).data?.is_forum !== true) {
    return {
      ok: false,
      summary: `Chat ${chat} has no topics`,
      hint: 'Turn on topics in the settings of the group and let the bot manage them, or set "topics: false"',
    };
  }
  if (trouble !== null) return { ok: false, ...trouble };
  const how = buttons
    ? members.size > 0
      ? 'with buttons'
      : 'without buttons, because "members" names no one'
    : 'without buttons';
  return { ok: true, summary: `Sends as @${name}, ${how}` };
}
