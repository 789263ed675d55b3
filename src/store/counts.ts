import type { Counts } from '../core/store.ts';
import type { Connection } from './connection.ts';
import { integer, text } from './row.ts';

/** Counts events that were added; those that are deleted count themselves off. */
export function countEvents(connection: Connection, added: number): void {
  connection.run(
    "UPDATE counters SET count = count + ? WHERE thing = 'event' AND state = ''",
    added,
  );
}

export function readCounts(connection: Connection): Counts {
  const counted = new Map(
    connection
      .all('SELECT thing, state, count FROM counters')
      .map((row) => [`${text(row, 'thing')} ${text(row, 'state')}`, integer(row, 'count')]),
  );
  const count = (thing: string, state: string): number => counted.get(`${thing} ${state}`) ?? 0;
  return {
    events: count('event', ''),
    deliveries: {
      pending: count('delivery', 'pending'),
      retrying: count('delivery', 'retrying'),
      sent: count('delivery', 'sent'),
      dead: count('delivery', 'dead'),
      cancelled: count('delivery', 'cancelled'),
    },
    sessions: {
      working: count('session', 'working'),
      waiting: count('session', 'waiting'),
      done: count('session', 'done'),
      failed: count('session', 'failed'),
      ended: count('session', 'ended'),
    },
  };
}
