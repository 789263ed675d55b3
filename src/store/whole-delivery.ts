import type { Delivery } from '../core/delivery.ts';
import type { WholeDelivery } from '../core/store.ts';
import type { Connection } from './connection.ts';
import type { Session } from '../core/session.ts';
import { eventById, eventsById } from './events.ts';
import { sessionByKey } from './sessions.ts';

/**
 * A delivery with all that its message is made of.
 *
 * @param sessions those that were read for other deliveries of the same transaction, by key
 */
export function wholeDelivery(
  connection: Connection,
  delivery: Delivery,
  sessions = new Map<string, Session | null>(),
): WholeDelivery {
  const event = eventById(connection, delivery.eventId);
  let session = sessions.get(event.sessionKey);
  if (session === undefined) {
    session = sessionByKey(connection, event.sessionKey);
    sessions.set(event.sessionKey, session);
  }
  return { delivery, event, session, also: eventsById(connection, delivery.alsoTells) };
}
