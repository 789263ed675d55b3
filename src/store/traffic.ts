import type { Traffic } from '../core/timer.ts';
import type { Connection } from './connection.ts';
import { integer } from './row.ts';

const HOUR_MS = 3_600_000;

/** Read only when somebody asks: channels that serve machines are never counted. */
export function trafficOf(
  connection: Connection,
  { channel, sessionKey, now }: Readonly<{ channel: string; sessionKey: string; now: number }>,
): Traffic {
  const since = now - HOUR_MS;
  return {
    channel: (nth) =>
      firstTime(
        connection,
        'SELECT released_at FROM deliveries WHERE channel = ? AND released_at > ? ORDER BY released_at DESC LIMIT 1 OFFSET ?',
        [channel, since, nth - 1],
      ),
    session: (nth) =>
      firstTime(
        connection,
        'SELECT released_at FROM deliveries WHERE channel = ? AND released_at > ? AND session_key = ? ORDER BY released_at DESC LIMIT 1 OFFSET ?',
        [channel, since, sessionKey, nth - 1],
      ),
    pausedUntil: () => pausedUntil(connection, channel),
  };
}

function pausedUntil(connection: Connection, channel: string): number {
  const row = connection.get(
    'SELECT max(not_before, coalesce(open_until, 0)) AS until FROM channel_states WHERE channel = ?',
    channel,
  );
  return row === null ? 0 : integer(row, 'until');
}

function firstTime(
  connection: Connection,
  sql: string,
  values: readonly (string | number)[],
): number | null {
  const row = connection.get(sql, ...values);
  return row === null ? null : integer(row, 'released_at');
}
