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
import { parseJson } from '../../platform/json.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import { idleTimer } from '../../platform/time.ts';
import { Secret } from '../../text/secret.ts';
import { serverFrom } from '../support/web-address.ts';
import { type Button, decisionButtons, SEEN, SNOOZE } from '../support/signed-buttons.ts';
import { appMention, type SlackOptions, TO_PERSON } from './slack-options.ts';
import {
  ANSWER_WITH_WORDS,
  DENY_WITH_WORDS,
  MUTE,
  ROOM,
  seenState,
  type ShownState,
  slackPost,
  stateAfter,
  stateOf,
  wordsView,
} from './app-message.ts';
import { type AppTarget, checkApp, findTarget, memberEmail } from './app-target.ts';
import { createInteractions, type PressPlace } from './interactions.ts';
import { openMemory, type Thread } from './memory.ts';
import { createPostChanges } from './post-changes.ts';
import { createSlashCommands } from './slash-commands.ts';
import { openSocket } from './socket.ts';
import { createSessionPosts, metadataOf, posted, postReference, refOf } from './session-posts.ts';
import { type CallSlack, createCallSlack, type SlackResponse } from './web-api.ts';
import { documentationPage } from '../../text/documentation.ts';

export type AppOptions = SlackOptions & { readonly botToken: SecretReference; readonly to: string };

const SAY_TIMEOUT_MS = 2_500;

/** Posts as an app: one thread per session, whose first message shows its state, with buttons that the members may press. */
export async function createAppChannel(
  options: AppOptions,
  dependencies: ChannelDependencies,
): Promise<Channel> {
  const { outbound, now, onReaction, onWorksAgain, stateDir, resolveSecret } = dependencies;
  const { to } = options;
  const server = `${serverFrom(options.server).server}/api/`;
  const isPersonal = to === TO_PERSON;
  const [first = null] = options.members.map((member) => member.split(':')[1] ?? '');
  // The recipient of a direct message need not be mentioned in it.
  const owner = isPersonal ? null : first;
  const memory = openMemory(stateDir, `${dependencies.name} ${server} ${to}`, now);
  const readCall = async (): Promise<CallSlack> =>
    createCallSlack(
      { server, token: await readToken(options.botToken, 'xoxb-') },
      { outbound, now, pauses: memory.pauses },
    );
  const call = await readCall();
  const appToken =
    options.app_token === undefined ? null : await readToken(options.app_token, 'xapp-');
  requireProxy(outbound, server);
  const changes = createPostChanges(call, idleTimer, memory);
  const posts = createSessionPosts({ call, threads: memory.threads, changes, now });
  const interactions = createInteractions({
    // Only its recipient can press in a direct message.
    members: isPersonal && options.members.length === 0 ? null : new Set(options.members),
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
  const takesPresses = socket !== null && (isPersonal || options.members.length > 0);
  const place = { to, owner };
  /** Conversations by the address of the person; one under "" for all. */
  const targets = new Map<string, string>();

  async function readToken(secret: SecretReference, prefix: string): Promise<Secret> {
    const text = (await resolveSecret(secret)).trim();
    if (text.startsWith(prefix)) return new Secret(text);
    const key = prefix === 'xoxb-' ? 'bot_token' : 'app_token';
    const hint = `${documentationPage('docs/channels/slack.md')} says where Slack shows the two tokens`;
    const fault = `"${key}" does not begin with "${prefix}"`;
    throw new ConfigError(`Cannot use channel "${dependencies.name}": ${fault}`, { hint });
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

  async function conversation(
    { recipient }: Pick<Notification, 'recipient'>,
    signal: AbortSignal,
  ): Promise<AppTarget> {
    const key = isPersonal && recipient?.type === 'found' ? recipient.address : '';
    const target = targets.get(key);
    if (target !== undefined) return { channel: target };
    const found = await findTarget(call, { ...place, recipient }, signal);
    if ('channel' in found) targets.set(key, found.channel);
    return found;
  }

  async function postTo(
    channel: string,
    thread: Thread | null,
    notification: Notification,
    signal: AbortSignal,
  ): Promise<SlackResponse> {
    const { deliveryId, decidable } = notification;
    const decision =
      takesPresses && decidable !== undefined ? decisionButtons(decidable, ROOM) : null;
    const mention = appMention(notification, options, owner);
    const buttons =
      takesPresses && thread !== null ? buttonsOf(notification, decision?.buttons ?? []) : [];
    const message = {
      channel,
      ...(thread !== null && { thread_ts: thread.ts }),
      ...slackPost(notification, { request: decision?.text ?? null, buttons, mention }),
      metadata: metadataOf({ type: 'hookbell_delivery', id: deliveryId }),
    };
    return call('chat.postMessage', message, signal);
  }

  function remember(ref: string, notification: Notification): void {
    const { data } = postReference.safeParse(parseJson(ref));
    if (data === undefined || data.thread === null) return;
    interactions.remember({ ...data, thread: data.thread }, notification);
  }

  /** Shows the notification in its post, without buttons, and the state of its session. */
  async function replace(
    ref: string,
    notification: Notification,
    state: ShownState,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { data: old } = postReference.safeParse(parseJson(ref));
    if (old === undefined) return failed('Cannot change the message: the reference is damaged');
    interactions.forget(old.ts);
    const { channel, ts } = old;
    const message = slackPost(notification, { request: null, buttons: [], mention: null });
    const { outcome } = await call('chat.update', { channel, ts, ...message }, signal);
    posts.showState(notification, state);
    return outcome;
  }

  return {
    lacks: takesPresses ? [] : ['acknowledge', 'snooze', 'decide'],

    async send(notification, { signal, attempt }) {
      const isRepeat = attempt > 1 || notification.possibleDuplicate;
      const found = await conversation(notification, signal);
      if ('outcome' in found) return found.outcome;
      const { channel } = found;
      const begun = await posts.thread(channel, notification, { isRepeat, signal });
      if ('outcome' in begun) return begun.outcome;
      const { thread } = begun;
      const earlier = isRepeat ? await posts.find(channel, notification, signal) : delivered();
      if (earlier.type !== 'delivered') return earlier;
      if (earlier.ref !== undefined) {
        remember(earlier.ref, notification);
        return earlier;
      }
      const { outcome, data, error } = await postTo(channel, thread, notification, signal);
      if (error === 'thread_not_found') {
        // Someone deleted it: the next attempt begins another one.
        posts.forget(notification);
        return retry('Cannot deliver to Slack: the thread was deleted');
      }
      if (outcome.type !== 'delivered') return outcome;
      const { data: made } = posted.safeParse(data);
      if (made === undefined) {
        const note = "Slack did not return the message's id: it cannot be changed later";
        return delivered({ note });
      }
      const ref = refOf(made.message, { channel: made.channel, ts: made.ts }, thread);
      remember(ref, notification);
      if (begun.isNew !== true) posts.showState(notification, stateOf(notification));
      return delivered({ ref });
    },

    update: (ref, notification, { signal }) =>
      replace(ref, notification, stateAfter(now()), signal),
    markAcknowledged: (ref, notification, { signal }) =>
      replace(ref, notification, seenState(notification), signal),

    async find(notification, { signal }) {
      const found = await conversation(notification, signal);
      return 'outcome' in found ? found.outcome : posts.find(found.channel, notification, signal);
    },

    resubscribe(ref, notification) {
      remember(ref, notification);
      return Promise.resolve();
    },

    emailOf: (account, signal) => memberEmail(call, account, signal),

    paused: memory.paused,

    async check(signal): Promise<ChannelCheck> {
      const trouble = socket?.trouble() ?? null;
      return await checkApp(await readCall(), { ...place, trouble, takesPresses }, signal);
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
  return [...deciding, ...takesWords, ...(isWaiting(kind) ? [SNOOZE] : []), MUTE, SEEN];
}

const soon = (): AbortSignal => AbortSignal.timeout(SAY_TIMEOUT_MS);
