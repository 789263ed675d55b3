import { CLIENTS } from '../data/vocabulary.ts';
import { sumOf, totalOf } from '../tally.ts';
import type { Ledger } from './ledger.ts';
import { activeWithin } from './ledger.ts';

/** Takes the ledger, not one day of it: weekly and monthly users look back. */
export function activityRow(date: string, ledger: Ledger) {
  const entries = ledger.on(date);
  const userMessages = sumOf(entries.map((entry) => entry.userMessages));
  return {
    date,
    daily_active_users: entries.length,
    weekly_active_users: activeWithin(ledger, date, 7).size,
    monthly_active_users: activeWithin(ledger, date, 30).size,
    daily_active_users_by_client: Object.fromEntries(usersByClient(date, ledger)),
    sessions: sumOf(entries.map(({ clients }) => totalOf(clients))),
    messages: userMessages + sumOf(entries.map((entry) => entry.assistantMessages)),
    user_messages: userMessages,
  };
}

/** One row a client type: what `group_by=client` answers. */
export function activityGroups(date: string, ledger: Ledger) {
  return usersByClient(date, ledger).map(([client, users]) => ({
    date,
    group_key: client,
    daily_active_users: users,
  }));
}

function usersByClient(date: string, ledger: Ledger): [string, number][] {
  return CLIENTS.map((client) => [
    client,
    ledger.on(date).filter(({ clients }) => clients.has(client)).length,
  ]);
}
