import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { z } from 'zod';

import { botMethods, type SentText } from './telegram-limits.ts';

export interface BotApiMessage extends SentText {
  readonly message_id: number;
}

/** Stands in for Telegram's servers, by their documentation: one bot, its chats, and what people do in them. */
export interface FakeBotApi extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** What the chats show now, oldest first. */
  readonly shown: () => readonly BotApiMessage[];
  /** Texts that people saw after they pressed a button. */
  readonly answers: readonly string[];
  readonly topics: readonly string[];
  /** Requests so far, by method. */
  readonly calls: (method: string) => number;
  /** A person presses a button of a message. */
  press(label: string, of: BotApiMessage, from?: number): void;
  /** A person replies to a message. */
  reply(words: string, to: BotApiMessage, from?: number): void;
  /** A program with the token changes a message. */
  edit(message: BotApiMessage): void;
  /** The topic of a message is deleted. */
  deleteTopic(id: number): void;
  /** Another program polls this bot from now on, or no longer. */
  setConflict(isOn: boolean): void;
  /** The next requests of a method get this answer. */
  refuse(method: string, answer: Refusal | null): void;
}

interface Refusal {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: object;
}

export const PERSON = 4_242;
let bots = 1_000;

const bad = (description: string): Refusal => ({
  error_code: 400,
  description: `Bad Request: ${description}`,
});

const isMethod = (name: string): name is keyof typeof botMethods => name in botMethods;

/** @param chat the chat that exists, a group if it is negative */
export async function startBotApi(chat: number = PERSON): Promise<FakeBotApi> {
  bots += 1;
  const token = `${process.pid}${bots}:AAfake-token-of-the-test-suite`;
  const messages = new Map<number, BotApiMessage>();
  const topics = new Map<number, string>();
  const counts = new Map<string, number>();
  const refusals = new Map<string, Refusal>();
  const answers: string[] = [];
  let queue: { update_id: number; [key: string]: unknown }[] = [];
  let nextId = 700;
  let conflict = false;
  let waiting: { readonly end: (refusal: Refusal | null) => void } | null = null;

  function add(update: Record<string, unknown>): void {
    queue.push({ update_id: (nextId += 1), ...update });
    waiting?.end(null);
  }

  function stored({ message_id: id, text: whole, reply_markup: markup }: BotApiMessage): object {
    return {
      message_id: id,
      chat: { id: chat },
      text: whole.trim(),
      ...(markup && { reply_markup: markup }),
    };
  }

  async function updates(
    parameters: z.output<typeof botMethods.getUpdates>,
  ): Promise<Refusal | object> {
    const other: Refusal = {
      error_code: 409,
      description:
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    };
    if (conflict) return other;
    waiting?.end(other);
    const { offset = 0, limit, timeout } = parameters;
    queue = queue.filter(({ update_id: id }) => id >= offset);
    if (queue.length === 0 && timeout > 0) {
      const refusal = await new Promise<Refusal | null>((resolve) => {
        const timer = setTimeout(() => resolve(null), timeout * 1_000).unref();
        waiting = {
          end(with_) {
            clearTimeout(timer);
            waiting = null;
            resolve(with_);
          },
        };
      });
      if (refusal !== null) return refusal;
    }
    return queue.slice(0, limit);
  }

  function act(
    method: keyof typeof botMethods,
    body: unknown,
  ): Refusal | object | true | Promise<object> {
    const asked = z.looseObject({ chat_id: z.number().optional() }).parse(body);
    if (asked.chat_id !== undefined && asked.chat_id !== chat) return bad('chat not found');
    switch (method) {
      case 'getMe':
        return { id: 1, is_bot: true, username: 'hookbell_test_bot' };
      case 'getChat':
        return { id: chat, type: chat > 0 ? 'private' : 'supergroup', is_forum: chat < 0 };
      case 'getUpdates':
        return updates(botMethods.getUpdates.parse(body));
      case 'sendMessage': {
        const sent = botMethods.sendMessage.parse(body);
        const { message_thread_id: thread } = sent;
        if (thread !== undefined && !topics.has(thread)) return bad('message thread not found');
        const message = { ...sent, message_id: (nextId += 1) };
        messages.set(message.message_id, message);
        return stored(message);
      }
      case 'editMessageText': {
        const edited = botMethods.editMessageText.parse(body);
        const before = messages.get(edited.message_id);
        if (before === undefined) return bad('message to edit not found');
        const after = { ...edited, disable_notification: before.disable_notification };
        messages.set(edited.message_id, after);
        return stored(after);
      }
      case 'deleteMessage':
        return messages.delete(botMethods.deleteMessage.parse(body).message_id)
          ? true
          : bad('message to delete not found');
      case 'createForumTopic': {
        const id = (nextId += 1);
        topics.set(id, botMethods.createForumTopic.parse(body).name);
        return { message_thread_id: id };
      }
      case 'answerCallbackQuery':
        answers.push(botMethods.answerCallbackQuery.parse(body).text);
        return true;
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const body: unknown = JSON.parse(await text(request));
    counts.set(method, (counts.get(method) ?? 0) + 1);
    const send = (status: number, answer: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    };
    if (given !== token || !isMethod(method)) {
      return send(404, { ok: false, error_code: 404, description: 'Not Found' });
    }
    const valid = botMethods[method].safeParse(body);
    const refusal = refusals.get(method);
    const result =
      refusal ??
      (valid.success ? await act(method, body) : bad(valid.error.issues[0]?.message ?? ''));
    if (typeof result === 'object' && 'error_code' in result) {
      return send(Number(result.error_code), { ok: false, ...result });
    }
    send(200, { ok: true, result });
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  return {
    url: `http://127.0.0.1:${port}`,
    token,
    answers,
    shown: () => [...messages.values()],
    get topics() {
      return [...topics.values()];
    },
    calls: (method) => counts.get(method) ?? 0,
    press(label, of, from = PERSON) {
      const buttons = of.reply_markup?.inline_keyboard.flat() ?? [];
      const button = buttons.find(({ text: shown }) => shown === label);
      if (button === undefined) throw new Error(`No button "${label}"`);
      const now = messages.get(of.message_id);
      add({
        callback_query: {
          id: `press-${nextId}`,
          from: { id: from, first_name: 'Ada' },
          data: button.callback_data,
          // A message that is gone is inaccessible: it has no text.
          message:
            now === undefined
              ? { message_id: of.message_id, chat: { id: chat }, date: 0 }
              : stored(now),
        },
      });
    },
    reply(words, to, from = PERSON) {
      add({
        message: {
          message_id: (nextId += 1),
          from: { id: from, first_name: 'Ada' },
          chat: { id: chat },
          text: words,
          reply_to_message: stored(messages.get(to.message_id) ?? to),
        },
      });
    },
    edit: (message) => void messages.set(message.message_id, message),
    deleteTopic: (id) => void topics.delete(id),
    setConflict(isOn) {
      conflict = isOn;
      if (isOn)
        waiting?.end({
          error_code: 409,
          description: 'Conflict: terminated by other getUpdates request',
        });
    },
    refuse(method, answer) {
      if (answer === null) refusals.delete(method);
      else refusals.set(method, answer);
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
