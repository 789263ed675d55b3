import type { Reaction } from '../core/channel.ts';
import { INBOX } from '../core/delivery.ts';
import type { Log } from '../platform/log.ts';
import type { TerminalLocation } from '../core/notification.ts';
import type { AlertStore } from '../core/alert.ts';
import type { MuteStore } from '../core/policy.ts';
import type { Clock } from '../platform/time.ts';
import type { BringForwardOptions } from '../attention/bring-forward.ts';
import {
  createPopUpReplies,
  type PopUpReplies,
  type PopUpRepliesOptions,
} from './pop-up-replies.ts';

export interface ReactionHandlerOptions {
  readonly alerts: Pick<AlertStore, 'acknowledge' | 'snooze'>;
  readonly mutes: Pick<MuteStore, 'add'>;
  /** Channels whose pending messages are sent even when a person acknowledges. */
  readonly programChannels: () => readonly string[];
  /** Brings the terminal of a session forward. Never rejects. */
  readonly bringForward: (location: TerminalLocation) => Promise<unknown>;
  readonly replies: Pick<PopUpReplies, 'open' | 'send' | 'decide'>;
  /** A person has acknowledged the alerts of these sessions. */
  readonly onSeen: (sessionKeys: readonly string[]) => void;
  readonly wake: () => void;
  readonly now: Clock;
  readonly newId: () => string;
  readonly log: Log;
}

/**
 * Handles a person's reaction to a shown notification: a click acknowledges, as `hookbell ack` does, and may bring the
 * session forward. Answering acknowledges as well, and so does a snooze until its end. A mute holds what the session sends and leaves its alert open.
 * Another reaction to a message without an open alert, such as a test, changes nothing.
 */
export function reactionHandler({
  alerts,
  mutes,
  programChannels,
  bringForward,
  replies,
  onSeen,
  wake,
  now,
  newId,
  log,
}: ReactionHandlerOptions): (channel: string, reaction: Reaction) => void {
  function act(channel: string, reaction: Reaction): void {
    switch (reaction.type) {
      case 'acknowledged':
        if (reaction.opens !== null) void bringForward(reaction.opens);
        return;
      case 'reply-requested':
        return void replies.open(channel, reaction.url);
      case 'replied':
        return void replies.send(channel, reaction.url, reaction.text);
      case 'decided':
        return void replies.decide(channel, reaction);
      case 'muted':
        return void mute(channel, reaction);
      case 'snoozed':
        return;
    }
  }

  async function mute(
    channel: string,
    { groupKey: sessionKey, forMs, by }: Extract<Reaction, { type: 'muted' }>,
  ): Promise<void> {
    const createdAt = now();
    const everything = { project: null, agent: null, channel: null, kind: null };
    const end = { createdAt, until: createdAt + forMs };
    try {
      await mutes.add({ id: newId(), sessionKey, ...end, ...everything }, programChannels());
      log.info({ channel, sessionKey, forMs, by }, 'A person muted a session');
      wake();
    } catch (error) {
      log.warn({ channel, sessionKey, err: error }, 'Cannot mute a session by a reaction');
    }
  }

  function snooze(sessionKey: string, forMs: number): Promise<unknown> {
    const exceptChannels = [INBOX, ...programChannels()];
    return alerts.snooze({ sessionKey, until: now() + forMs, now: now(), exceptChannels, newId });
  }

  async function acknowledge(channel: string, reaction: Reaction): Promise<void> {
    const { deliveryId, type, by } = reaction;
    const what = type === 'replied' ? 'an answer' : 'a click';
    const who = by === undefined ? what : `${what} of ${by}`;
    try {
      const seen = await alerts.acknowledge({
        of: { deliveryId },
        by: `${who} on channel "${channel}"`,
        now: now(),
        exceptChannels: programChannels(),
      });
      const keys = seen.map(({ sessionKey }) => sessionKey);
      if (reaction.type === 'snoozed') {
        for (const key of keys) await snooze(key, reaction.forMs);
      } else if (keys.length > 0) onSeen(keys);
      const fields = { channel, deliveryId, type, by, acknowledged: seen.length };
      log.info(fields, 'A person reacted to a notification');
      wake();
    } catch (error) {
      log.warn({ channel, deliveryId, err: error }, 'Cannot acknowledge by a reaction');
    }
  }

  return (channel, reaction) => {
    act(channel, reaction);
    // A decision that counts ends the alert; one that does not was about a request that is over.
    if (reaction.type !== 'decided' && reaction.type !== 'muted')
      void acknowledge(channel, reaction);
  };
}

/** Handles people's reactions to shown notifications on this machine, until it is stopped. */
export function reactionsHere(
  options: PopUpRepliesOptions &
    Pick<ReactionHandlerOptions, 'alerts' | 'mutes' | 'programChannels' | 'onSeen' | 'wake'>,
) {
  const replies = createPopUpReplies(options);
  const bringForward = bringForwardHere(options);
  return {
    handle: reactionHandler({ ...options, bringForward, replies }),
    stop: () => replies.stop(),
  };
}

/** Brings terminals of this machine forward; the code for it is loaded by the first call. Returns why it could not. */
export function bringForwardHere({
  env,
  now,
  log,
}: Pick<BringForwardOptions, 'env' | 'now' | 'log'>): (
  location: TerminalLocation,
) => Promise<string | null> {
  return async (location) => {
    const { bringForward } = await import('../attention/bring-forward.ts');
    return bringForward(location, { env, platform: process.platform, now, log });
  };
}
