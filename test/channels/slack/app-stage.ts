import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Channel, ChannelDependencies, Reaction } from '../../../src/core/channel.ts';
import type { DecidableRequest, Notification } from '../../../src/core/notification.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import { type FakeSlack, fakeTokens, startFakeSlack } from '../../support/fake-slack.ts';
import type { SlackPost } from '../../support/slack-post.ts';
import { sampleNotification } from '../../support/sample.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { createSlack } from './slack-stage.ts';

export interface AppStage extends AsyncDisposable {
  readonly slack: FakeSlack;
  readonly channel: Channel;
  readonly reactions: readonly Reaction[];
  /** Sets the channel's clock forward. */
  passTime(ms: number): void;
  /** A channel of a daemon that was started again. */
  again(): Promise<Channel>;
  /** After the files of the previous one were lost. */
  anew(): Promise<Channel>;
}

export async function openApp(options: Record<string, unknown> = {}): Promise<AppStage> {
  const slack = await startFakeSlack();
  const directory = await temporaryDirectory();
  const reactions: Reaction[] = [];
  const channels: Channel[] = [];
  let connected = 0;
  let now = 1_700_000_000_000;
  const dependencies: Partial<ChannelDependencies> = {
    stateDir: directory.path,
    onReaction: (reaction) => void reactions.push(reaction),
    now: () => now,
    onWorksAgain: () => (connected += 1),
  };
  async function again(): Promise<Channel> {
    await channels.at(-1)?.close();
    await until(() => slack.connections() === 0);
    const before = connected;
    const channel = await createSlack(
      {
        bot_token: fakeTokens.bot,
        app_token: fakeTokens.app,
        to: 'C0TEAM',
        members: ['T0FAKE:U0ADA'],
        server: slack.server,
        ...options,
      },
      dependencies,
    );
    channels.push(channel);
    await until(() => connected > before);
    return channel;
  }
  const channel = await again();
  return {
    slack,
    channel,
    reactions,
    passTime: (ms) => void (now += ms),
    again,
    async anew() {
      await channels.pop()?.close();
      for (const name of await readdir(directory.path)) await rm(join(directory.path, name));
      return again();
    },
    async [Symbol.asyncDispose]() {
      await channels.at(-1)?.close();
      await slack[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

export const decidable: DecidableRequest = {
  question: 'q1',
  requestHash: 'h1',
  choices: ['allow', 'deny'],
  text: 'Run: npm publish --tag <next>',
  asks: [],
};

export const permission = (fields: Partial<Notification> = {}): Notification =>
  sampleNotification({
    kind: 'needs.permission',
    title: 'shop needs permission',
    body: 'Run: npm publish',
    decidable,
    ...fields,
  });

/** A notification without a request. */
export const plain = (fields: Partial<Notification> = {}): Notification =>
  sampleNotification({ kind: 'turn.done', severity: 'info', ...fields });

/** Sends as the delivery worker does. */
export const sendTo = (channel: Channel, notification: Notification, attempt = 1) =>
  channel.send(notification, { ...sendContext(), attempt });

export async function refOf(channel: Channel, notification: Notification): Promise<string> {
  const outcome = await sendTo(channel, notification);
  assert.equal(outcome.type, 'delivered', JSON.stringify(outcome));
  return (outcome.type === 'delivered' && outcome.ref) || '';
}

export function buttonsOf(post: SlackPost | undefined): readonly unknown[] {
  const actions = post?.blocks.find(({ type }) => type === 'actions')?.['elements'];
  return Array.isArray(actions)
    ? actions.map(({ action_id: id }: { action_id: string }) => id)
    : [];
}

export const last = (slack: FakeSlack): SlackPost => {
  const post = slack.posts.at(-1);
  assert.ok(post);
  return post;
};
