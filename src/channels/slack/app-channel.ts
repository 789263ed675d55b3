import { z } from 'zod';

import type {
  Channel,
  ChannelCheck,
  ChannelDependencies,
  SecretReference,
} from '../../core/channel.ts';
import { isWaiting } from '../../core/hook-event.ts';
import type { Notification } from '../../core/notification.ts';
import { delivered, failed, type Outcome, retry } from '../../core/outcome.ts';
import { ConfigError } from '../../platform/errors.ts';
import { type JsonObject, parseJson } from '../../platform/json.ts';
import { idleTimer } from '../../platform/time.ts';
import { Secret } from '../../text/secret.ts';
import { configCheck } from '../support/http-outcome.ts';
import { serverFrom } from '../support/server-address.ts';
import { type Button, decisionButtons, SEEN, SNOOZE } from '../support/signed-buttons.ts';
import { mentionFor, type SlackOptions } from './slack-options.ts';
import {
  ANSWER_WITH_WORDS,
  DENY_WITH_WORDS,
  slackPost,
  ROOM,
  rootMessage,
  type ShownState,
  stateAfter,
  stateOf,
  textsIn,
  wordsView,
} from './app-message.ts';
import { checkApp, findTarget } from './app-target.ts';
import { findPost, metadataOf } from './find-posts.ts';
import { createInteractions, type PressPlace } from './interactions.ts';
import { createPostChanges } from './post-changes.ts';
import { createSlashCommands } from './slash-commands.ts';
import { openSocket } from './socket.ts';
import { openThreads, sessionName, type Thread } from './threads.ts';
import { type CallSlack, createCallSlack, type SlackResponse } from './web-api.ts';

/** Options of an app, checked. */
export type AppOptions = SlackOptions & { readonly botToken: SecretReference; readonly to: string };

/** What was sent: the post, and what it showed. */
const reference = z.object({
  channel: z.string(),
  ts: z.string(),
  thread: z.string().nullable(),
  shown: z.string(),
});
const posted = z.object({ channel: z.string(), ts: z.string(), message: z.looseObject({}) });
const SAY_TIMEOUT_MS = 2_500;

/** Posts as an app: one thread per session, whose first message shows its state, with buttons that the members may press. */
export async function createAppChannel(
  options: AppOptions,
  dependencies: ChannelDependencies,
): Promise<Channel> {
  const { outbound, now, onReaction, onWorksAgain, stateDir, resolveSecret } = dependencies;
  const { to } = options;
  const server = `${serverFrom(options.server).server}/api/`;
  const [owner = null] = options.members.map((member) => member.split(':')[1] ?? '');
  const readCall = async (): Promise<CallSlack> =>
    createCallSlack(
      { server, token: await readToken(options.botToken, 'xoxb-') },
      { outbound, now },
    );
  const call = await readCall();
  const appToken =
    options.app_token === undefined ? null : await readToken(options.app_token, 'xapp-');
  // An unusable proxy is found now, not with the first message.
  outbound.isProxied(new URL(server));
  const threads = openThreads(stateDir, `${dependencies.name} ${server} ${to}`);
  const changes = createPostChanges(call, idleTimer);
  const interactions = createInteractions({
    members: new Set(options.members),
    onReaction,
    whisper,
    askForWords: (kind, ts, triggerId) =>
      void call('views.open', { trigger_id: triggerId, view: wordsView(kind, ts) }, soon()),
  });
  const commands = createSlashCommands(new Set(options.members), dependencies.env);
  const socket =
    appToken === null
      ? null
      : openSocket({
          ...interactions,
          server,
          appToken,
          outbound,
          onEvent(body) {
            interactions.onEvent(body);
            void showHome(body);
          },
          onCommand: (body) => commands.run(body),
          onConnected: onWorksAgain,
          startTimer: idleTimer,
        });
  const takesPresses = socket !== null && options.members.length > 0;
  const place = { to, owner };
  let target: string | null = null;

  async function readToken(secret: SecretReference, prefix: string): Promise<Secret> {
    const text = (await resolveSecret(secret)).trim();
    if (text.startsWith(prefix)) return new Secret(text);
    const key = prefix === 'xoxb-' ? 'bot_token' : 'app_token';
    throw new ConfigError(
      `Cannot use channel "${dependencies.name}": "${key}" does not begin with "${prefix}"`,
      { hint: 'See docs/channels/slack.md for where Slack shows the two tokens' },
    );
  }

  async function showHome(body: unknown): Promise<void> {
    const home = await commands.home(body);
    if (home === null) return;
    await call('views.publish', { user_id: home.user, view: home.view }, soon());
  }

  function whisper(text: string, { channel, user: reader, thread }: PressPlace): void {
    const there = { channel, user: reader, ...(thread !== undefined && { thread_ts: thread }) };
    void call('chat.postEphemeral', { ...there, text }, soon());
  }

  /** The thread of the notification's session, which begins with its first notification; null: it has no session. */
  async function threadOf(
    channel: string,
    notification: Notification,
    isRepeat: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly thread: Thread | null } | { readonly outcome: Outcome }> {
    if (notification.sessionId === null || notification.kind === 'test') return { thread: null };
    const session = sessionName(notification);
    const known = threads.of(session);
    if (known?.channel === channel) return { thread: known };
    const mark = { type: 'hookbell_session', id: session } as const;
    if (isRepeat) {
      const when = { now: now(), signal };
      const earlier = await findPost(call, { channel, thread: null }, mark, when);
      if (earlier !== null && 'outcome' in earlier) return earlier;
      if (earlier !== null) return { thread: keep(session, { channel, ts: earlier.post.ts }) };
    }
    const { outcome, data } = await call(
      'chat.postMessage',
      {
        channel,
        ...rootMessage(notification, stateOf(notification)),
        metadata: metadataOf(mark),
      },
      signal,
    );
    if (outcome.type !== 'delivered') return { outcome };
    const { data: post } = posted.safeParse(data);
    if (post === undefined)
      return { outcome: retry('Cannot deliver to Slack: it names no message') };
    return { thread: keep(session, { channel, ts: post.ts }) };
  }

  function keep(session: string, thread: Thread): Thread {
    threads.set(session, thread);
    return thread;
  }

  function showState(notification: Notification, state: ShownState): void {
    const thread = threads.of(sessionName(notification));
    if (thread !== null) changes.add({ ...thread, ...rootMessage(notification, state) });
  }

  async function postTo(
    channel: string,
    thread: Thread | null,
    notification: Notification,
    signal: AbortSignal,
  ): Promise<SlackResponse> {
    const { deliveryId, quietly, kind, severity } = notification;
    const decision =
      takesPresses && notification.decidable !== undefined
        ? decisionButtons(notification.decidable, ROOM)
        : null;
    const calls = isWaiting(kind) || severity === 'critical';
    const mention =
      mentionFor(notification, options.mention) ??
      (calls && !quietly && owner !== null ? `<@${owner}>` : null);
    return call(
      'chat.postMessage',
      {
        channel,
        ...(thread !== null && { thread_ts: thread.ts }),
        ...slackPost(notification, {
          request: decision?.text ?? null,
          buttons:
            takesPresses && thread !== null ? buttonsOf(notification, decision?.buttons ?? []) : [],
          mention,
        }),
        metadata: metadataOf({ type: 'hookbell_delivery', id: deliveryId }),
      },
      signal,
    );
  }

  function remember(ref: string, notification: Notification): void {
    const { data } = reference.safeParse(parseJson(ref));
    if (data === undefined || data.thread === null) return;
    interactions.remember({ ...data, thread: data.thread }, notification);
  }

  return {
    lacks: takesPresses ? [] : ['acknowledge', 'snooze', 'decide'],

    async send(notification, { signal, attempt }) {
      if (signal.aborted) return retry('Stopped before the message was sent');
      const isRepeat = attempt > 1 || notification.possibleDuplicate;
      const found = target === null ? await findTarget(call, place, signal) : { channel: target };
      if ('outcome' in found) return found.outcome;
      const { channel } = found;
      target = channel;
      const begun = await threadOf(channel, notification, isRepeat, signal);
      if ('outcome' in begun) return begun.outcome;
      const { thread } = begun;
      if (isRepeat) {
        const where = { channel, thread: thread?.ts ?? null };
        const mark = { type: 'hookbell_delivery', id: notification.deliveryId } as const;
        const earlier = await findPost(call, where, mark, { now: now(), signal });
        if (earlier !== null && 'outcome' in earlier) return earlier.outcome;
        if (earlier !== null) {
          const ref = refOf(earlier.post, { channel, ts: earlier.post.ts }, thread);
          remember(ref, notification);
          return delivered({ ref });
        }
      }
      const { outcome, data, error } = await postTo(channel, thread, notification, signal);
      if (error === 'thread_not_found') {
        // Someone deleted it: the next attempt begins another one.
        threads.set(sessionName(notification), null);
        return retry('Cannot deliver to Slack: the thread was deleted');
      }
      if (outcome.type !== 'delivered') return outcome;
      const { data: made } = posted.safeParse(data);
      if (made === undefined) {
        return delivered({ note: 'Slack did not name the message: it cannot be changed later' });
      }
      const ref = refOf(made.message, { channel: made.channel, ts: made.ts }, thread);
      remember(ref, notification);
      showState(notification, stateOf(notification));
      return delivered({ ref });
    },

    async update(ref, notification, { signal }) {
      const { data: old } = reference.safeParse(parseJson(ref));
      if (old === undefined) return failed('Cannot change the message: the reference is damaged');
      interactions.forget(old.ts);
      const { channel, ts } = old;
      const message = slackPost(notification, { request: null, buttons: [], mention: null });
      const { outcome } = await call('chat.update', { channel, ts, ...message }, signal);
      showState(notification, stateAfter(now()));
      if (outcome.type !== 'retry') return outcome;
      changes.add({ channel, ts, ...message });
      return delivered({ note: 'The message is changed later' });
    },

    resubscribe(ref, notification) {
      remember(ref, notification);
      return Promise.resolve();
    },

    async check(signal): Promise<ChannelCheck> {
      try {
        const trouble = socket?.trouble() ?? null;
        return await checkApp(await readCall(), { ...place, trouble, takesPresses }, signal);
      } catch (error) {
        return configCheck(error);
      }
    },

    async close() {
      await Promise.all([socket?.close(), changes.close()]);
    },
  };
}

function buttonsOf(
  { kind, decidable }: Notification,
  deciding: readonly Button[],
): readonly Button[] {
  const words = decidable?.asks.length === 1 ? ANSWER_WITH_WORDS : DENY_WITH_WORDS;
  const takesWords = deciding.length > 0 ? [words] : [];
  return [...deciding, ...takesWords, ...(isWaiting(kind) ? [SNOOZE] : []), SEEN];
}

const soon = (): AbortSignal => AbortSignal.timeout(SAY_TIMEOUT_MS);

function refOf(message: JsonObject, made: Thread, thread: Thread | null): string {
  const shown = textsIn([message['blocks'], message['attachments']]);
  return JSON.stringify({ ...made, thread: thread?.ts ?? null, shown });
}
