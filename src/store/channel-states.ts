import type { ChannelState } from '../core/delivery.ts';
import type { Columns } from './columns.ts';
import { upsertInto, valuesOf } from './columns.ts';
import type { Connection } from './connection.ts';
import { integer, integerOrNull, oneOf, oneOfOrNull, text, textOrNull } from './row.ts';

const circuits = [
  'closed',
  'open',
  'half-open',
] as const satisfies readonly ChannelState['circuit'][];
const outcomes = [
  'delivered',
  'retry',
  'failed',
] as const satisfies readonly ChannelState['lastOutcome'][];

const columns: Columns<ChannelState> = {
  channel: (state) => state.channel,
  not_before: (state) => state.notBefore,
  circuit: (state) => state.circuit,
  open_until: (state) => state.openUntil,
  failures: (state) => state.failures,
  last_outcome: (state) => state.lastOutcome,
  last_reason: (state) => state.lastReason,
  last_at: (state) => state.lastAt,
  missing_ms: (state) => state.missingMs,
};

const upsertChannelState = upsertInto('channel_states', columns, 'channel');

export function saveChannelState(connection: Connection, state: ChannelState): void {
  connection.run(upsertChannelState, ...valuesOf(columns, state));
}

export function listChannelStates(connection: Connection): readonly ChannelState[] {
  return connection.all('SELECT * FROM channel_states ORDER BY channel').map((row) => ({
    channel: text(row, 'channel'),
    notBefore: integer(row, 'not_before'),
    circuit: oneOf(row, 'circuit', circuits),
    openUntil: integerOrNull(row, 'open_until'),
    failures: integer(row, 'failures'),
    lastOutcome: oneOfOrNull(row, 'last_outcome', outcomes),
    lastReason: textOrNull(row, 'last_reason'),
    lastAt: integerOrNull(row, 'last_at'),
    missingMs: integer(row, 'missing_ms'),
  }));
}
