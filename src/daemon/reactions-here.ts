import type { Reaction } from '../core/channel.ts';
import type { TerminalLocation } from '../core/notification.ts';
import type { BringForwardOptions } from './bring-forward.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { PopUpRepliesOptions } from './pop-up-replies.ts';
import { createPopUpReplies } from './pop-up-replies.ts';
import type { ReactionHandlerOptions } from './reactions.ts';
import { reactionHandler } from './reactions.ts';

export type ReactionsHereOptions = Omit<PopUpRepliesOptions, 'platform'> &
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
    const { bringForward } = await import('./bring-forward.ts');
    return bringForward(whereabouts, { env, platform: process.platform, now, log });
  };
}
