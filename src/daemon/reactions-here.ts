import type { Reaction } from '../core/channel.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { PopUpRepliesOptions } from './pop-up-replies.ts';
import { createPopUpReplies } from './pop-up-replies.ts';
import type { ReactionHandlerOptions } from './reactions.ts';
import { reactionHandler } from './reactions.ts';

export type ReactionsHereOptions = Omit<PopUpRepliesOptions, 'platform'> &
  Pick<ReactionHandlerOptions, 'store' | 'machineChannels' | 'wake'> & {
    readonly lifecycle: Pick<Lifecycle, 'onStop'>;
  };

/** Does on this machine what a person wants who reacts to what a channel has shown. */
export function reactionsHere(
  options: ReactionsHereOptions,
): (channel: string, reaction: Reaction) => void {
  const { store, machineChannels, wake, lifecycle, env, now, log } = options;
  const { platform } = process;
  const replies = createPopUpReplies({ ...options, platform });
  lifecycle.onStop('pop-up replies', () => replies.stop());
  return reactionHandler({
    store,
    machineChannels,
    async bringForward(whereabouts) {
      // Loaded by the first click.
      const { bringForward } = await import('./bring-forward.ts');
      await bringForward(whereabouts, { env, platform, now, log });
    },
    replies,
    wake,
    now,
    log,
  });
}
