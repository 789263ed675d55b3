import type { Upkeep, Quarantined, QuarantineStore } from '../core/store-aging.ts';
import type { Store } from '../core/store.ts';
import { eventStoreOn } from './event-store.ts';
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
import type { Connection, Query } from './query.ts';
import { field, stored, upsertInto } from './row.ts';

const storedEntry = stored<Quarantined>({
  id: field.text,
  at: field.integer,
  reason: field.text,
  detail: field.text,
  bytes: field.integer,
});

const upsertQuarantined = upsertInto('quarantine', storedEntry.columns, 'id');

function quarantineStoreOn({ reads, writes }: Database): QuarantineStore {
  return { add: writes(addQuarantined), list: reads(listQuarantined) };
}

/** The same envelope received again, as after a crash, is one entry. */
function* addQuarantined(connection: Connection, entry: Quarantined): Query<void> {
  yield* connection.run(upsertQuarantined, ...storedEntry.valuesOf(entry));
}

/** The latest first. */
function* listQuarantined(connection: Connection, limit: number): Query<readonly Quarantined[]> {
  const sql = 'SELECT * FROM quarantine ORDER BY at DESC, rowid DESC LIMIT ?';
  return (yield* connection.all(sql, limit)).map(storedEntry.read);
}

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
