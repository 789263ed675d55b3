import { z } from 'zod';

import {
  type Channel,
  type ChannelCheck,
  type ChannelDependencies,
  defineChannel,
} from '../../core/channel.ts';
import { isWaiting } from '../../core/hook-event.ts';
import type { Notification } from '../../core/notification.ts';
import { delivered, failed, type Outcome, retry } from '../../core/outcome.ts';
import { sha256 } from '../../platform/crypto.ts';
import { parseJson } from '../../platform/json.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import { decisionButtons, SEEN, SNOOZE } from '../support/signed-buttons.ts';
import { type BotAnswer, createCallBot } from './bot-api.ts';
import { checkBot } from './check-bot.ts';
import {
  fingerprint,
  fitsTelegramMessage,
  keyboardOf,
  telegramMessage,
  topicName,
} from './message.ts';
import {
  readTelegramTarget,
  telegramOptions,
  type TelegramOptions,
  type TelegramTarget,
} from './options.ts';
import { createReactionReader } from './reactions.ts';
import { keyboard, shareBot } from './update-poller.ts';

const PRESSES = 'needs `members` in a group';
const SAY_TIMEOUT_MS = 10_000;

const ROOM = { fits: fitsTelegramMessage, mostOptions: 8, longestOption: 40 };

const reference = z.object({ chat: z.number(), message: z.number(), shown: z.string() });

const sentMessage = z.object({
  message_id: z.number(),
  text: z.string(),
  reply_markup: keyboard.optional(),
});

const forumTopic = z.object({ message_thread_id: z.int() });

/** Buttons and replies come back over `getUpdates`, so that nothing is reachable from outside, and count from listed people. */
export default defineChannel({
  type: 'telegram',
  summary: 'Sends messages from a Telegram bot, with buttons and replies',
  audience: 'person',
  reach: 'far',
  recipient: 'a Telegram chat',
  can: {
    update: true,
    withdraw: 'needs `when_over: delete`',
    acknowledge: PRESSES,
    snooze: PRESSES,
    decide: PRESSES,
    reply: PRESSES,
    thread: 'needs `topics` in a group',
  },
  options: telegramOptions,
  questions: {
    token: { message: 'Telegram: token of the bot (kept in a file only you can read)' },
    chat: { message: 'Telegram: numeric id of the chat' },
  },
  // One message per second to a chat with short bursts, 20 per minute to a group
  // (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this).
  limits: { timeoutMs: 10_000, concurrency: 1, burst: 10, refillMs: 3_000, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const target = await readTelegramTarget(options, dependencies);
    requireProxy(dependencies.outbound, target.server);
    return createTelegramChannel(options, target, dependencies);
  },
});

function createTelegramChannel(
  options: TelegramOptions,
  target: TelegramTarget,
  dependencies: ChannelDependencies,
): Channel {
  const { outbound, now, onReaction, onWorksAgain, name, stateDir } = dependencies;
  const { chat, members } = target;
  const call = createCallBot(target, { outbound, now });
  const signing = { key: keyOf(target, name), now };
  const reactions = createReactionReader(target, { ...signing, onReaction, say });
  const listener = { ...reactions, outbound, onConnected: onWorksAgain };
  const bot = shareBot(target, { stateDir, now }, members.size === 0 ? null : listener);

  function say(text: string, message: number): void {
    const parameters = { chat_id: chat, text, reply_parameters: { message_id: message } };
    void call('sendMessage', parameters, AbortSignal.timeout(SAY_TIMEOUT_MS));
  }

  /** The topic of a session, which is created with its first message; null: none is wanted. */
  async function topicOf(
    notification: Notification,
    signal: AbortSignal,
  ): Promise<{ readonly thread: number | null } | { readonly outcome: Outcome }> {
    if (!options.topics) return { thread: null };
    const key = topicKey(chat, notification);
    const known = bot.memory.topic(key);
    if (known !== null) return { thread: known };
    const parameters = { chat_id: chat, name: topicName(notification) };
    const { outcome, result } = await call('createForumTopic', parameters, signal);
    if (outcome.type !== 'delivered') return { outcome };
    const { data } = forumTopic.safeParse(result);
    const outcomeWithout = retry('Cannot deliver to Telegram: no topic was created');
    if (data === undefined) return { outcome: outcomeWithout };
    bot.memory.setTopic(key, data.message_thread_id);
    return { thread: data.message_thread_id };
  }

  async function sendTo(
    thread: number | null,
    notification: Notification,
    signal: AbortSignal,
  ): Promise<BotAnswer> {
    const { deliveryId, decidable, kind, sessionId, severity, quietly } = notification;
    const takesPresses = members.size > 0 && sessionId !== null && kind !== 'test';
    const decision =
      takesPresses && decidable !== undefined ? decisionButtons(decidable, ROOM) : null;
    const others = isWaiting(kind) ? [SNOOZE, SEEN] : [SEEN];
    const rows = takesPresses
      ? keyboardOf(decision?.buttons ?? [], others, (act) => reactions.sign({ deliveryId, act }))
      : [];
    return call(
      'sendMessage',
      {
        chat_id: chat,
        ...(thread !== null && { message_thread_id: thread }),
        ...telegramMessage(notification, decision?.text ?? null),
        disable_notification: quietly || severity === 'info',
        ...(rows.length > 0 && { reply_markup: { inline_keyboard: rows } }),
      },
      signal,
    );
  }

  /** A topic that a person deleted is created again, once. */
  async function sendToTopic(notification: Notification, signal: AbortSignal): Promise<BotAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const topic = await topicOf(notification, signal);
      if ('outcome' in topic) return { outcome: topic.outcome, result: undefined, fault: null };
      const answer = await sendTo(topic.thread, notification, signal);
      if (answer.fault !== 'message thread not found' || attempt > 1) return answer;
      bot.memory.setTopic(topicKey(chat, notification), null);
    }
  }

  const channel: Channel = {
    lacks: [
      ...(members.size === 0 ? (['acknowledge', 'snooze', 'decide', 'reply'] as const) : []),
      ...(options.when_over === 'delete' ? [] : (['withdraw'] as const)),
      ...(options.topics ? [] : (['thread'] as const)),
    ],

    async send(notification, { signal }) {
      const { outcome, result } = await sendToTopic(notification, signal);
      if (outcome.type !== 'delivered') return outcome;
      const { data } = sentMessage.safeParse(result);
      if (data === undefined) {
        const note = "Telegram did not return the message's id: it cannot be changed later";
        return delivered({ note });
      }
      const shown = fingerprint(data.text, data.reply_markup?.inline_keyboard);
      reactions.remember(data.message_id, shown, notification);
      return delivered({ ref: JSON.stringify({ chat, message: data.message_id, shown }) });
    },

    async update(ref, notification, { signal }) {
      const { data: old } = reference.safeParse(parseJson(ref));
      if (old === undefined) return failed('Cannot change the message: the reference is damaged');
      reactions.forget(old.message);
      // Without "reply_markup" the buttons disappear.
      const place = { chat_id: old.chat, message_id: old.message };
      const message = { ...place, ...telegramMessage(notification, null) };
      const { outcome, fault } = await call('editMessageText', message, signal);
      return fault === 'message is not modified' ? delivered() : outcome;
    },

    resubscribe(ref, notification) {
      const { data: old } = reference.safeParse(parseJson(ref));
      if (old?.chat === chat) reactions.remember(old.message, old.shown, notification);
      return Promise.resolve();
    },

    async check(signal): Promise<ChannelCheck> {
      const current = await readTelegramTarget(options, dependencies);
      const again = createCallBot(current, { outbound, now });
      return await checkBot(current, options, { call: again, trouble: bot.trouble(), signal });
    },

    close: () => bot.close(),
  };
  if (options.when_over === 'edit') return channel;
  return {
    ...channel,
    async withdraw(ref, { signal }) {
      const { data: old } = reference.safeParse(parseJson(ref));
      if (old === undefined) return failed('Cannot delete the message: the reference is damaged');
      reactions.forget(old.message);
      const parameters = { chat_id: old.chat, message_id: old.message };
      const { outcome, fault } = await call('deleteMessage', parameters, signal);
      return fault === 'message to delete not found' ? delivered() : outcome;
    },
  };
}

/** A group key may name a project: it is stored as a hash. */
function topicKey(chat: number, { groupKey }: Notification): string {
  return `${chat} ${sha256(groupKey).slice(0, 16)}`;
}

/** Signs buttons of alerts: the same after a restart, and another one in each channel of a bot. */
function keyOf({ server, token, chat }: TelegramTarget, name: string): string {
  return sha256(JSON.stringify(['hookbell telegram buttons', server, token.reveal(), chat, name]));
}
