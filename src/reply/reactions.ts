import type { Reaction } from '../core/channel.ts';
import type { Log } from '../platform/log.ts';
import type { TerminalLocation } from '../core/notification.ts';
import type { Store } from '../core/store.ts';
import type { Clock } from '../platform/time.ts';
import type { BringForwardOptions } from '../attention/bring-forward.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import {
  createPopUpReplies,
  type PopUpReplies,
  type PopUpRepliesOptions,
} from './pop-up-replies.ts';

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

type ReactionsHereOptions = Omit<PopUpRepliesOptions, 'platform'> &
  Pick<ReactionHandlerOptions, 'store' | 'programChannels' | 'wake'> & {
    readonly lifecycle: Pick<Lifecycle, 'onStop'>;
  };

/** Does on this machine what a person wants who reacts to what a channel has shown. */
export function reactionsHere(
  options: ReactionsHereOptions,
): (channel: string, reaction: Reaction) => void {
  const { store, programChannels, wake, lifecycle, now, log } = options;
  const { platform } = process;
  const replies = createPopUpReplies({ ...options, platform });
  lifecycle.onStop('pop-up replies', () => replies.stop());
  return reactionHandler({
    store,
    programChannels,
    bringForward: bringForwardHere(options),
    replies,
    wake,
    now,
    log,
  });
}

/** Brings terminals of this machine forward; what does it is loaded by the first call. Returns why it could not. */
export function bringForwardHere({
  env,
  now,
  log,
}: Pick<BringForwardOptions, 'env' | 'now' | 'log'>): (
  whereabouts: TerminalLocation,
) => Promise<string | null> {
  return async (whereabouts) => {
    const { bringForward } = await import('../attention/bring-forward.ts');
    return bringForward(whereabouts, { env, platform: process.platform, now, log });
  };
}
