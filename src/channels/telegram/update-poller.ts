import { z } from 'zod';

import type { ChannelCheck } from '../../core/channel.ts';
import { parseJson } from '../../platform/json.ts';
import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import { readWithin } from '../../platform/read-within.ts';
import { parseRetryAfter } from '../../platform/retry.ts';
import { keepConnected } from '../../platform/rounds.ts';
import { idleTimer } from '../../platform/time.ts';
import { type BotMemory, openBotMemory } from './bot-memory.ts';
import { type CallBot, createCallBot, methodUrl } from './bot-api.ts';
import type { TelegramTarget } from './options.ts';

/** The service answers after this time if there is no update, s. */
const LONG_POLL_S = 50;
/** After an empty answer, which should have taken longer: a server or proxy that does not wait must not make a tight loop, ms. */
const EMPTY_WAIT_MS = 1_000;
const SILENCE_MS = 75_000;
const MAX_WAIT_MS = 15_000;
/** While another program polls: each attempt interrupts that program, ms. */
const CONFLICT_WAIT_MS = 60_000;
/** Maximum number of updates per response, and its maximum size, bytes: anyone may write to a bot. */
const LIMIT = 20;
const MAX_BYTES = 8_388_608;
const ANSWER_TIMEOUT_MS = 10_000;

const ided = z.object({ id: z.number() });
export const keyboard = z.object({
  inline_keyboard: z.array(
    z.array(z.object({ text: z.string(), callback_data: z.string().default('') })),
  ),
});

/** The press of a button (https://core.telegram.org/bots/api#callbackquery). */
const callbackQuery = z.object({
  id: z.string(),
  from: ided,
  data: z.string(),
  message: z.object({
    message_id: z.number(),
    chat: ided,
    text: z.string().optional(),
    reply_markup: keyboard.optional(),
  }),
});
export type ButtonPress = z.output<typeof callbackQuery>;

/** A message that answers one of the bot (https://core.telegram.org/bots/api#message). */
const botReply = z.object({
  message_id: z.number(),
  from: ided,
  chat: ided,
  text: z.string(),
  reply_to_message: z.object({ message_id: z.number(), text: z.string().optional() }),
});
export type BotReply = z.output<typeof botReply>;

const updates = z.object({
  ok: z.literal(true),
  result: z.array(z.looseObject({ update_id: z.int() })),
});

export type PollTrouble = Pick<ChannelCheck, 'summary' | 'hint'>;

/** One channel that a bot writes for. */
export interface BotListener {
  readonly outbound: Outbound;
  /** @returns what the person sees, and whether the button is of this channel; null: it is not in its chat */
  onPress(press: ButtonPress): { readonly text: string; readonly isKnown: boolean } | null;
  onReply(reply: BotReply): void;
  /** The service accepted a request after it had not. */
  onConnected(): void;
}

interface Bot {
  readonly memory: BotMemory;
  readonly listeners: Set<BotListener>;
  users: number;
  poller: ReturnType<typeof startPoller> | null;
}

/** By server and token: the service accepts one poller per bot, so all channels of this process share it. */
const bots = new Map<string, Bot>();

/** Until it is closed. @param listener receives what happens to its messages; null: nothing is polled for this channel */
export function shareBot(
  target: Pick<TelegramTarget, 'server' | 'token' | 'botId'>,
  { stateDir, now }: { readonly stateDir: string; readonly now: () => number },
  listener: BotListener | null,
) {
  const key = methodUrl(target.server, target.token, '');
  const bot: Bot = bots.get(key) ?? {
    memory: openBotMemory(stateDir, target.botId, now),
    listeners: new Set(),
    users: 0,
    poller: null,
  };
  bots.set(key, bot);
  bot.users += 1;
  if (listener !== null) {
    bot.listeners.add(listener);
    bot.poller ??= startPoller(target, bot, now);
  }
  let isOpen = true;
  return {
    memory: bot.memory,
    /** Why updates cannot be read; null: they can, or no listener needs them. */
    trouble: (): PollTrouble | null => (listener === null ? null : (bot.poller?.trouble() ?? null)),
    async close(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      bot.users -= 1;
      if (bot.users === 0) bots.delete(key);
      if (listener !== null) bot.listeners.delete(listener);
      if (bot.listeners.size > 0) return;
      const { poller } = bot;
      bot.poller = null;
      await poller?.stop();
    },
  };
}

/** An update is recorded before it is confirmed (https://core.telegram.org/bots/api#getupdates): none is lost or handled twice. */
function startPoller(
  { server, token }: Pick<TelegramTarget, 'server' | 'token'>,
  { memory, listeners }: Pick<Bot, 'memory' | 'listeners'>,
  now: () => number,
) {
  const closing = new AbortController();
  let trouble: PollTrouble | null = { summary: 'Not connected to Telegram yet' };

  /** The connections of the newest channel: a new configuration may have another proxy. */
  function outboundNow(): Outbound | undefined {
    return [...listeners].at(-1)?.outbound;
  }

  /** @returns ms to wait before the next request; null: the usual time after a failure */
  async function poll(): Promise<number | null> {
    const silence = new AbortController();
    const cancel = idleTimer(SILENCE_MS, () => silence.abort());
    const handled = memory.handled();
    try {
      const response = await outboundNow()?.fetch(methodUrl(server, token, 'getUpdates'), {
        method: 'POST',
        headers: { 'user-agent': 'hookbell', 'content-type': 'application/json' },
        body: JSON.stringify({
          limit: LIMIT,
          // The first response after trouble comes immediately, so that the trouble is known to be over.
          timeout: trouble === null ? LONG_POLL_S : 0,
          allowed_updates: ['message', 'callback_query'],
          ...(handled !== null && { offset: handled + 1 }),
        }),
        redirect: 'manual',
        signal: AbortSignal.any([closing.signal, silence.signal]),
      });
      if (response === undefined) return null;
      const body = await readWithin(response.body ?? toEmpty(), MAX_BYTES);
      const text = body === null ? '' : Buffer.from(body).toString();
      return take(response.status, text, response.headers.get('retry-after'));
    } catch {
      trouble = { summary: 'No connection to Telegram' };
      return null;
    } finally {
      cancel();
    }
  }

  function take(status: number, text: string, retryAfter: string | null): number | null {
    const { data } = updates.safeParse(parseJson(text));
    if (status !== 200 || data === undefined) {
      trouble = troubleOf(status, text);
      return status === 409 ? CONFLICT_WAIT_MS : parseRetryAfter(retryAfter, now());
    }
    const wasInTrouble = trouble !== null;
    trouble = null;
    if (wasInTrouble) for (const listener of listeners) listener.onConnected();
    for (const update of data.result) {
      // A response to a request without an offset may bring handled ones again.
      if (update.update_id <= (memory.handled() ?? -1)) continue;
      handle(update);
      memory.setHandled(update.update_id);
    }
    return data.result.length === 0 && !wasInTrouble ? EMPTY_WAIT_MS : 0;
  }

  function handle(update: Readonly<Record<string, unknown>>): void {
    const { data: press } = callbackQuery.safeParse(update['callback_query']);
    if (press !== undefined) {
      const answers = [...listeners].flatMap((one) => one.onPress(press) ?? []);
      const answer = answers.find(({ isKnown }) => isKnown) ?? answers[0];
      if (answer !== undefined) void answerPress(press.id, answer.text);
    }
    const { data: reply } = botReply.safeParse(update['message']);
    if (reply !== undefined) for (const listener of listeners) listener.onReply(reply);
  }

  /** Until then the app shows the button as busy; a failure changes nothing else. */
  async function answerPress(id: string, text: string): Promise<void> {
    const outbound = outboundNow();
    if (outbound === undefined) return;
    const call: CallBot = createCallBot({ server, token }, { outbound, now });
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    await call('answerCallbackQuery', { callback_query_id: id, text }, signal);
  }

  const options = { longestMs: MAX_WAIT_MS, startTimer: idleTimer, signal: closing.signal };
  const running = keepConnected(async () => {
    const afterMs = await poll();
    return { wasOpen: trouble === null, afterMs };
  }, options);
  return {
    trouble: (): PollTrouble | null => trouble,
    async stop(): Promise<void> {
      closing.abort();
      await running;
    },
  };
}

async function* toEmpty(): AsyncGenerator<Uint8Array> {
  yield* [];
}

const noEffect = (cause: string): string => `Buttons have no effect: ${cause}`;

/** 409 has two causes (https://core.telegram.org/bots/api#getupdates): a webhook, or another poller. */
function troubleOf(status: number, text: string): PollTrouble {
  if (status === 409 && text.includes('webhook')) {
    const hint = 'Remove it with "deleteWebhook", use a separate bot, or set "buttons: false"';
    return { summary: noEffect('the bot has a webhook'), hint };
  }
  if (status === 409) {
    const hint = 'Stop that program, use a separate bot for hookbell, or set "buttons: false"';
    return { summary: noEffect('another program polls this bot (409 Conflict)'), hint };
  }
  if (status === 200) return { summary: noEffect('the response is not from a Bot API') };
  return { summary: noEffect(`Telegram answered ${status}`) };
}
