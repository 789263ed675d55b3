import type { Log } from '../core/log.ts';
import type { Notification } from '../core/notification.ts';
import type { Store, WholeDelivery } from '../core/store.ts';
import type { RunningChannels } from './running-channels.ts';

/** No more are heard again on one channel: a person who has as many does not look at the oldest. */
const MOST = 16;

export interface HearAgainOptions {
  readonly store: Pick<Store, 'standing'>;
  readonly notificationOf: (delivery: WholeDelivery) => Promise<Notification>;
  readonly log: Log;
}

/** Lets new channels hear what people do with what those before them have shown of live alerts. Never rejects. */
export async function resubscribe(
  channels: RunningChannels,
  { store, notificationOf, log }: HearAgainOptions,
): Promise<void> {
  for (const { name, channel } of channels.values()) {
    if (channel.hearAgain === undefined) continue;
    try {
      for (const shown of await store.standing(name, MOST)) {
        await channel.hearAgain(shown.ref, await notificationOf(shown));
      }
    } catch (error) {
      log.warn({ channel: name, err: error }, 'Cannot hear again of what was shown before');
    }
  }
}
