import type { Reaction } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Store } from '../core/store.ts';

export interface ReactionHandlerOptions {
  readonly store: Pick<Store, 'acknowledge'>;
  /** Channels that keep what they are owed when somebody says "seen". */
  readonly machineChannels: () => readonly string[];
  readonly now: Clock;
  readonly log: Log;
}

/**
 * Does what a person wants who reacts to what a channel has shown: a click says "seen", as `hookbell ack` does. One on a
 * message that belongs to no open alert, such as a test, changes nothing.
 */
export function reactionHandler({
  store,
  machineChannels,
  now,
  log,
}: ReactionHandlerOptions): (channel: string, reaction: Reaction) => void {
  return (channel, { deliveryId }) => {
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
