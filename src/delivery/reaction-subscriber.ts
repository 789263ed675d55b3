import type { Notification } from '../core/notification.ts';
import type { ShownNotifications, WholeDelivery } from '../core/outbox.ts';
import type { Log } from '../platform/log.ts';
import type { RunningChannels } from './running-channel.ts';

export interface ReactionSubscriberOptions {
  readonly shown: Pick<ShownNotifications, 'displayedOf'>;
  readonly channels: () => RunningChannels;
  readonly notificationOf: (delivery: WholeDelivery) => Promise<Notification>;
  readonly log: Log;
}

/**
 * Lets the channels of this process take reactions to notifications that other processes have sent: a service passes a press
 * to any of them.
 *
 * @returns a function that takes the events that can be decided now; it never rejects
 */
export function createReactionSubscriber({
  shown,
  channels,
  notificationOf,
  log,
}: ReactionSubscriberOptions): (eventIds: readonly string[]) => Promise<void> {
  let subscribed = new Set<string>();
  let isBusy = false;

  return async (eventIds) => {
    if (isBusy) return;
    isBusy = true;
    try {
      const displayed = eventIds.length === 0 ? [] : await shown.displayedOf(eventIds);
      subscribed = new Set(
        displayed.map(({ delivery }) => delivery.id).filter((id) => subscribed.has(id)),
      );
      for (const one of displayed) {
        const { id, channel } = one.delivery;
        if (subscribed.has(id)) continue;
        await channels()
          .get(channel)
          ?.channel.resubscribe?.(one.ref, await notificationOf(one));
        subscribed.add(id);
      }
    } catch (error) {
      log.warn({ err: error }, 'Cannot take reactions to notifications of other processes');
    } finally {
      isBusy = false;
    }
  };
}
