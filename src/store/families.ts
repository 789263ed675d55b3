import type { Upkeep } from '../core/store-aging.ts';
import type { Store } from '../core/store.ts';
import { eventStoreOn } from './event-store.ts';
import { quarantineStoreOn } from './quarantine-store.ts';
import { outboxOn } from './outbox-store.ts';
import type { Database } from './database.ts';
import { alertStoreOn } from './alert-store.ts';
import { heldDeliveriesOn } from './held-deliveries.ts';
import { historyStoreOn } from './history-store.ts';
import { muteStoreOn } from './mute-store.ts';
import { questionStoreOn } from './question-store.ts';
import { deliveryQueueOn } from './queue-store.ts';
import { relayOutboxOn } from './relay-store.ts';
import { replyLinkStoreOn } from './reply-link-store.ts';
import { sessionStoreOn } from './session-store.ts';
import { shownNotificationsOn } from './traffic.ts';
import { waitStoreOn } from './wait-store.ts';

/** The ports of the store on a database. */
export function familiesOn(database: Database, upkeep: Upkeep): Omit<Store, 'close'> {
  return {
    events: eventStoreOn(database),
    alerts: alertStoreOn(database),
    sessions: sessionStoreOn(database),
    history: historyStoreOn(database),
    outbox: outboxOn(database),
    held: heldDeliveriesOn(database),
    queue: deliveryQueueOn(database),
    shown: shownNotificationsOn(database),
    mutes: muteStoreOn(database),
    relay: relayOutboxOn(database),
    replyLinks: replyLinkStoreOn(database),
    questions: questionStoreOn(database),
    quarantine: quarantineStoreOn(database),
    waits: waitStoreOn(database),
    upkeep,
  };
}
