import assert from 'node:assert/strict';

import type { Channel, Reaction } from '../../../src/core/channel.ts';
import type { DecidableRequest, Notification } from '../../../src/core/notification.ts';
import {
  type BotApiMessage,
  type FakeBotApi,
  PERSON,
  startBotApi,
} from '../../support/fake-bot-api.ts';
import { sampleNotification } from '../../support/sample.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { createTelegram } from './telegram-stage.ts';

export const GROUP = -100_123;
export const STRANGER = 666;

export interface BotStage extends AsyncDisposable {
  readonly api: FakeBotApi;
  readonly channel: Channel;
  readonly reactions: readonly Reaction[];
  /** The same channel as a later daemon has it. */
  again(): Promise<Channel>;
}

/** A channel with buttons on a fake Bot API. */
export async function openBotStage(
  options: Record<string, unknown> = {},
  chat = PERSON,
): Promise<BotStage> {
  const api = await startBotApi(chat);
  const directory = await temporaryDirectory();
  const reactions: Reaction[] = [];
  const channels: Channel[] = [];
  const create = async (): Promise<Channel> => {
    const channel = await createTelegram(
      { server: api.url, token: api.token, chat, ...options },
      {
        stateDir: directory.path,
        now: () => Date.now(),
        onReaction: (reaction) => void reactions.push(reaction),
      },
    );
    channels.push(channel);
    return channel;
  };
  return {
    api,
    channel: await create(),
    reactions,
    again: create,
    async [Symbol.asyncDispose]() {
      for (const channel of channels) await channel.close();
      await api[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

export const request: DecidableRequest = {
  question: 'q1',
  requestHash: 'a'.repeat(64),
  choices: ['allow', 'deny'],
  text: 'Bash\ncommand: npm publish',
  asks: [],
};

export const question: DecidableRequest = {
  question: 'q2',
  requestHash: 'b'.repeat(64),
  choices: ['answer', 'deny'],
  text: 'Which database?\n1 SQLite\n2 PostgreSQL',
  asks: [{ text: 'Which database?', options: ['SQLite', 'PostgreSQL'], several: false }],
};

export const asked = (decidable: DecidableRequest): Notification =>
  sampleNotification({ kind: 'needs.permission', sessionId: 's1', decidable });

/** The rows of buttons of the last message. */
export function labels(api: FakeBotApi): readonly (readonly string[])[] {
  const rows = api.shown().at(-1)?.reply_markup?.inline_keyboard ?? [];
  return rows.map((row) => row.map(({ text }) => text));
}

export function lastOf(api: FakeBotApi): BotApiMessage {
  const message = api.shown().at(-1);
  assert.ok(message);
  return message;
}
