import type { Delivery } from '../core/delivery.ts';
import type { WholeDelivery } from '../core/store.ts';
import type { Connection } from './connection.ts';
import { eventById, eventsById } from './events.ts';
import { sessionByKey } from './sessions.ts';

/** A delivery with all that its message is made of. */
export function wholeDelivery(connection: Connection, delivery: Delivery): WholeDelivery {
  const event = eventById(connection, delivery.eventId);
  return {
    delivery,
    event,
    session: sessionByKey(connection, event.sessionKey),
    also: eventsById(connection, delivery.alsoTells),
  };
}
