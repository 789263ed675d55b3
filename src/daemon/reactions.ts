import type { Reaction } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { TerminalLocation } from '../core/notification.ts';
import type { Store } from '../core/store.ts';
import type { PopUpReplies } from './pop-up-replies.ts';

export interface ReactionHandlerOptions {
  readonly store: Pick<Store, 'acknowledge'>;
  /** Channels that keep what they are owed when somebody says "seen". */
  readonly programChannels: () => readonly string[];
  /** Brings the terminal of a session forward. Never rejects. */
  readonly bringForward: (whereabouts: TerminalLocation) => Promise<unknown>;
  readonly replies: Pick<PopUpReplies, 'open' | 'send'>;
  /** What was shown may be over. */
  readonly wake: () => void;
  readonly now: Clock;
  readonly log: Log;
}

/**
 * Does what a person wants who reacts to what a channel has shown: a click says "seen", as `hookbell ack` does, and may bring the session
 * forward. To answer says "seen" as well. One on a message that belongs to no open alert, such as a test, changes nothing.
 */
export function reactionHandler({
  store,
  programChannels,
  bringForward,
  replies,
  wake,
  now,
  log,
}: ReactionHandlerOptions): (channel: string, reaction: Reaction) => void {
  function act(channel: string, reaction: Reaction): void {
    switch (reaction.type) {
      case 'acknowledged':
        if (reaction.opens !== null) void bringForward(reaction.opens);
        return;
      case 'wants to reply':
        return void replies.open(channel, reaction.url);
      case 'replied':
        return void replies.send(channel, reaction.url, reaction.text);
    }
  }

  async function acknowledge(channel: string, { deliveryId, type }: Reaction): Promise<void> {
    const what = type === 'replied' ? 'an answer' : 'a click';
    try {
      const seen = await store.acknowledge({
        of: { deliveryId },
        by: `${what} on channel "${channel}"`,
        now: now(),
        exceptChannels: programChannels(),
      });
      log.info({ channel, deliveryId, type, acknowledged: seen.length }, 'Somebody clicked');
      wake();
    } catch (error) {
      log.warn({ channel, deliveryId, err: error }, 'Cannot acknowledge by a click');
    }
  }

  return (channel, reaction) => {
    act(channel, reaction);
    void acknowledge(channel, reaction);
  };
}
