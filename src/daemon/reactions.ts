import type { Reaction } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Whereabouts } from '../core/notification.ts';
import type { Store } from '../core/store.ts';
import type { BringForwardOptions } from './bring-forward.ts';

export interface ReactionHandlerOptions {
  readonly store: Pick<Store, 'acknowledge'>;
  /** Channels that keep what they are owed when somebody says "seen". */
  readonly machineChannels: () => readonly string[];
  /** Brings the terminal of a session forward. Never rejects. */
  readonly bringForward: (whereabouts: Whereabouts) => Promise<void>;
  readonly now: Clock;
  readonly log: Log;
}

/**
 * Does what a person wants who reacts to what a channel has shown: a click says "seen", as `hookbell ack` does, and may bring the session
 * forward. One on a message that belongs to no open alert, such as a test, changes nothing.
 */
export function reactionHandler({
  store,
  machineChannels,
  bringForward,
  now,
  log,
}: ReactionHandlerOptions): (channel: string, reaction: Reaction) => void {
  return (channel, { deliveryId, opens }) => {
    if (opens !== null) void bringForward(opens);
    void store
      .acknowledge({
        of: { deliveryId },
        by: `a click on channel "${channel}"`,
        now: now(),
        exceptChannels: machineChannels(),
      })
      .then(
        (seen) => log.info({ channel, deliveryId, acknowledged: seen.length }, 'Somebody clicked'),
        (error: unknown) =>
          log.warn({ channel, deliveryId, err: error }, 'Cannot acknowledge by a click'),
      );
  };
}

/** What it takes is loaded by the first click. */
export function bringForwardHere(
  options: BringForwardOptions,
): ReactionHandlerOptions['bringForward'] {
  return async (whereabouts) => {
    const { bringForward } = await import('./bring-forward.ts');
    await bringForward(whereabouts, options);
  };
}
