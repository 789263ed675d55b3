import { randomBytes } from 'node:crypto';

import type { Reaction } from '../../core/channel.ts';
import type { Notification } from '../../core/notification.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import {
  createButtonSigner,
  decisionByWords,
  decisionOf,
  isDecision,
  type Press,
  type Reactable,
  reactableOf,
  SNOOZE_MS,
} from '../support/signed-buttons.ts';
import { fingerprint, fitsTelegramMessage, textFingerprint } from './message.ts';
import type { TelegramTarget } from './options.ts';
import type { BotReply, ButtonPress } from './update-poller.ts';

const MOST_SENT = 500;

/** Signs what decides requests: of this process, so that a new configuration keeps the buttons, and no file has it. */
const decisionKey = randomBytes(32).toString('hex');

const OVER = { text: 'This request is over; answer in the terminal', isKnown: false };

interface Sent extends Reactable {
  /** `fingerprint` of what it shows. */
  readonly shown: string;
}

const accountOf = (id: number): string => `Telegram user ${id}`;

/** @param key signs buttons of alerts: the same after a restart, and another one in each channel of a bot */
export function createReactionReader(
  { chat, members }: Pick<TelegramTarget, 'chat' | 'members'>,
  {
    key,
    now,
    onReaction,
    say,
  }: {
    readonly key: string;
    readonly now: () => number;
    readonly onReaction: (reaction: Reaction) => void;
    readonly say: (text: string, message: number) => void;
  },
) {
  const signer = createButtonSigner(key, decisionKey, now);
  /** By message, oldest first. */
  const sent = new RecentMap<number, Sent>(MOST_SENT);

  function onPress({
    from,
    data,
    message,
  }: ButtonPress): { text: string; isKnown: boolean } | null {
    if (message.chat.id !== chat) return null;
    if (!members.has(from.id)) {
      return { text: 'Not allowed: you are not in "members" of this channel', isKnown: false };
    }
    // Before the press is taken, which counts once: a copy of the message must not use up its buttons.
    const fault = isDecision(data.split('.', 1)[0] ?? '') ? faultOf(message) : null;
    if (fault !== null) return fault;
    const press = signer.take(data);
    if (press === null) return { text: 'This button is no longer valid', isKnown: false };
    const { deliveryId, act } = press;
    const by = accountOf(from.id);
    if (isDecision(act)) {
      const entry = sent.get(message.message_id);
      if (entry?.deliveryId !== deliveryId || entry.request === null) return OVER;
      onReaction({ deliveryId, type: 'decided', ...decisionOf(entry.request, act), by });
      return { text: 'Sent', isKnown: true };
    }
    if (act === 'snooze') {
      onReaction({ deliveryId, type: 'snoozed', forMs: SNOOZE_MS, by });
      return { text: 'Snoozed for 30 min', isKnown: true };
    }
    onReaction({ deliveryId, type: 'acknowledged', opens: null, by });
    return { text: 'Seen', isKnown: true };
  }

  /** Why nothing can be decided; null: it can. A program with the bot's token can change a message, or copy its buttons. */
  function faultOf({ message_id: id, text = '', reply_markup: markup }: ButtonPress['message']) {
    const entry = sent.get(id);
    if (entry === undefined || entry.request === null) return OVER;
    if (entry.shown === fingerprint(text, markup?.inline_keyboard)) return null;
    return { text: 'Refused: this message was changed; answer in the terminal', isKnown: true };
  }

  /** A reply to the message of a request answers the question or denies with words; any other answers the session. */
  function onReply({ from, text, message_id: reply, ...message }: BotReply): void {
    if (message.chat.id !== chat || !members.has(from.id)) return;
    const { message_id: id, text: shown = '' } = message.reply_to_message;
    const entry = sent.get(id);
    if (entry === undefined) return;
    const { deliveryId, request, replyUrl } = entry;
    if (request !== null) {
      const isSame = entry.shown.startsWith(textFingerprint(shown));
      if (!isSame) return say('Refused: this message was changed.', reply);
      const decision = decisionByWords(request, entry.isAnswerable, text);
      onReaction({ deliveryId, type: 'decided', ...decision, by: accountOf(from.id) });
    } else if (replyUrl === null) {
      say('This session cannot receive text from here; answer in its terminal.', reply);
    } else {
      onReaction({ deliveryId, type: 'replied', url: replyUrl, text, by: accountOf(from.id) });
    }
  }

  return {
    sign: (press: Press) => signer.sign(press),
    /** From now on, reactions to this message count. */
    remember: (message: number, shown: string, notification: Notification) =>
      void sent.set(message, { ...reactableOf(notification, fitsTelegramMessage), shown }),
    /** Decisions under this message are over. */
    forget: (message: number) => void sent.delete(message),
    onPress,
    onReply,
  };
}
