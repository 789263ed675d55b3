import { z } from 'zod';

import type { Reaction } from '../../core/channel.ts';
import type { Notification } from '../../core/notification.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import {
  decisionByWords,
  decisionOf,
  isDecision,
  type Reactable,
  reactableOf,
  SNOOZE_MS,
} from '../support/signed-buttons.ts';
import { fitsSection, MUTE_MS, textsIn } from './app-message.ts';

/** The press of a button (https://docs.slack.dev/reference/interaction-payloads/block_actions-payload). */
export const slackPress = z.object({
  type: z.literal('block_actions'),
  team: z.object({ id: z.string() }),
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  trigger_id: z.string(),
  channel: z.object({ id: z.string() }),
  message: z.looseObject({ ts: z.string() }),
  actions: z.tuple([z.object({ action_id: z.string() })]).rest(z.unknown()),
});

/** The words of a window (https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload). */
const submission = z.object({
  type: z.literal('view_submission'),
  team: z.object({ id: z.string() }),
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  view: z.object({
    callback_id: z.literal('words'),
    private_metadata: z.string(),
    state: z.object({
      values: z.object({ words: z.object({ words: z.object({ value: z.string() }) }) }),
    }),
  }),
});

/** A message in a thread (https://docs.slack.dev/reference/events/message). */
const threadMessage = z.object({
  team_id: z.string(),
  event: z.object({
    type: z.literal('message'),
    subtype: z.undefined().optional(),
    bot_id: z.undefined().optional(),
    channel: z.string(),
    user: z.string(),
    team: z.string().optional(),
    // In a channel that workspaces share: that of the author.
    user_team: z.string().optional(),
    ts: z.string(),
    thread_ts: z.string(),
    text: z.string(),
  }),
});

const MOST_SENT = 500;

export interface PressPlace {
  readonly channel: string;
  readonly user: string;
  /** The thread of the message. */
  readonly thread: string | undefined;
}

interface Sent extends Reactable {
  readonly thread: string;
  readonly groupKey: string;
  /** `textsIn` of what Slack stored. */
  readonly shown: string;
}

const NOT_ALLOWED = 'Not allowed: you are not in "members" of this channel';
const UNKNOWN =
  'This button is no longer valid, or belongs to hookbell on another machine; answer in the terminal';

/** Turns presses, words and replies into reactions. */
export function createInteractions({
  members,
  onReaction,
  whisper,
  askForWords,
}: {
  /** "WORKSPACE:MEMBER" of those who may react; null: everyone who sees the message. */
  readonly members: ReadonlySet<string> | null;
  readonly onReaction: (reaction: Reaction) => void;
  /** Says something to one person, where only that person sees it. */
  readonly whisper: (text: string, place: PressPlace) => void;
  /** Opens a window in which a person types words about a message; within 3 s. */
  readonly askForWords: (kind: 'deny' | 'answer', ts: string, triggerId: string) => void;
}) {
  /** By timestamp, oldest first. */
  const sent = new RecentMap<string, Sent>(MOST_SENT);
  const mayReact = (person: string): boolean => members === null || members.has(person);

  function onPress(body: z.output<typeof slackPress>): void {
    const { message, channel, user, team, trigger_id: triggerId } = body;
    const { ts } = message;
    const entry = sent.get(ts);
    const place: PressPlace = { channel: channel.id, user: user.id, thread: entry?.thread };
    const person = `${user.team_id ?? team.id}:${user.id}`;
    if (!mayReact(person)) return whisper(NOT_ALLOWED, place);
    if (entry === undefined) return whisper(UNKNOWN, place);
    const { deliveryId, request, isAnswerable } = entry;
    const [{ action_id: act }] = body.actions;
    const by = accountOf(person);
    if (act === 'seen') return onReaction({ deliveryId, type: 'acknowledged', opens: null, by });
    if (act === 'snooze') {
      onReaction({ deliveryId, type: 'snoozed', forMs: SNOOZE_MS, by });
      return whisper('Snoozed for 30 minutes', place);
    }
    if (act === 'mute') {
      onReaction({ deliveryId, type: 'muted', groupKey: entry.groupKey, forMs: MUTE_MS, by });
      return whisper('This session is muted for an hour; "hookbell mute off" ends that', place);
    }
    // A program that has the bot's token can change what stands above a button: a press decides only an unchanged message.
    if (textsIn([message['blocks'], message['attachments']]) !== entry.shown) {
      return whisper('Refused: this message was changed; answer in the terminal', place);
    }
    if (request === null) return whisper(UNKNOWN, place);
    if (act === 'words') return askForWords(isAnswerable ? 'answer' : 'deny', ts, triggerId);
    if (!isDecision(act) || !/^(?:allow|deny|option\d)$/.test(act)) return;
    onReaction({ deliveryId, type: 'decided', ...decisionOf(request, act), by });
  }

  function onWords({ user, team, view }: z.output<typeof submission>): void {
    const person = `${user.team_id ?? team.id}:${user.id}`;
    if (!mayReact(person)) return;
    const entry = sent.get(view.private_metadata);
    const { value: words } = view.state.values.words.words;
    if (entry !== undefined) decideWithWords(entry, words, accountOf(person));
  }

  function decideWithWords(entry: Sent, words: string, by: string): void {
    const { deliveryId, request, isAnswerable } = entry;
    if (request === null) return;
    onReaction({
      deliveryId,
      type: 'decided',
      ...decisionByWords(request, isAnswerable, words),
      by,
    });
  }

  /** Words in a thread decide its open request, or answer the session. */
  function onReply({ team_id: workspace, event }: z.output<typeof threadMessage>): void {
    const entries = [...sent.values()].filter(({ thread }) => thread === event.thread_ts);
    if (entries.length === 0) return;
    const place: PressPlace = { channel: event.channel, user: event.user, thread: event.thread_ts };
    const person = `${event.user_team ?? event.team ?? workspace}:${event.user}`;
    if (!mayReact(person)) return whisper(NOT_ALLOWED, place);
    const words = plainTextOf(event.text);
    const open = entries.findLast(({ request }) => request !== null);
    if (open !== undefined) return decideWithWords(open, words, accountOf(person));
    const answerable = entries.findLast(({ replyUrl }) => replyUrl !== null);
    if (answerable === undefined || answerable.replyUrl === null) {
      return whisper('This session cannot receive text from here; answer in its terminal', place);
    }
    const { deliveryId, replyUrl } = answerable;
    onReaction({ deliveryId, type: 'replied', url: replyUrl, text: words, by: accountOf(person) });
  }

  return {
    /** From now on, reactions to this message count. */
    remember(
      { ts, thread, shown }: { ts: string; thread: string; shown: string },
      notification: Notification,
    ): void {
      const { groupKey } = notification;
      sent.set(ts, { ...reactableOf(notification, fitsSection), thread, groupKey, shown });
    },
    /** Reactions to this message no longer count. */
    forget: (ts: string) => void sent.delete(ts),
    onInteractive(body: unknown): void {
      const pressed = slackPress.safeParse(body);
      if (pressed.success) return onPress(pressed.data);
      const submitted = submission.safeParse(body);
      if (submitted.success) onWords(submitted.data);
    },
    onEvent(body: unknown): void {
      const message = threadMessage.safeParse(body);
      if (message.success) onReply(message.data);
    },
  };
}

const accountOf = (member: string): string => `Slack member ${member}`;

/** Slack writes links as `<TARGET|LABEL>` (https://docs.slack.dev/messaging/formatting-message-text#escaping). */
export function plainTextOf(text: string): string {
  return text
    .replaceAll(/<([^<>|]+)(?:\|[^<>]*)?>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
