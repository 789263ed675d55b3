import type { Traffic } from '../core/timer.ts';
import type { Connection } from './connection.ts';
import { integer } from './row.ts';

const HOUR_MS = 3_600_000;
const MOST = 1_000;

/** Read only when somebody looks: channels that serve machines are never counted. */
export function trafficOf(
  connection: Connection,
  { channel, sessionKey, now }: Readonly<{ channel: string; sessionKey: string; now: number }>,
): Traffic {
  const since = now - HOUR_MS;
  return {
    get channel() {
      return times(
        connection,
        'SELECT released_at FROM deliveries WHERE channel = ? AND released_at > ? ORDER BY released_at DESC LIMIT ?',
        [channel, since],
      );
    },
    get session() {
      return times(
        connection,
        'SELECT released_at FROM deliveries WHERE channel = ? AND released_at > ? AND session_key = ? ORDER BY released_at DESC LIMIT ?',
        [channel, since, sessionKey],
      );
    },
  };
}

function times(
  connection: Connection,
  sql: string,
  values: readonly (string | number)[],
): readonly number[] {
  return connection
    .all(sql, ...values, MOST)
    .map((row) => integer(row, 'released_at'))
    .toReversed();
}
