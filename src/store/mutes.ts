import { agentNames, kinds } from '../core/hook-event.ts';
import type { Mute } from '../core/mute.ts';
import type { Columns } from './columns.ts';
import { upsertInto, valuesOf } from './columns.ts';
import type { Connection } from './connection.ts';
import { decideAgain } from './deliveries.ts';
import { integer, integerOrNull, oneOfOrNull, text, textOrNull } from './row.ts';

const columns: Columns<Mute> = {
  id: (mute) => mute.id,
  created_at: (mute) => mute.createdAt,
  until: (mute) => mute.until,
  session_key: (mute) => mute.sessionKey,
  project: (mute) => mute.project,
  agent: (mute) => mute.agent,
  channel: (mute) => mute.channel,
  kind: (mute) => mute.kind,
};

const upsertMute = upsertInto('mutes', columns, 'id');

export function addMute(connection: Connection, mute: Mute): void {
  connection.run(upsertMute, ...valuesOf(columns, mute));
}

/** Answers how many; what was held because of mutes is decided upon again. */
export function removeMutes(
  connection: Connection,
  ids: readonly string[] | 'all',
  now: number,
): number {
  const removed =
    ids === 'all'
      ? connection.run('DELETE FROM mutes')
      : connection.run(
          'DELETE FROM mutes WHERE id IN (SELECT value FROM json_each(?))',
          JSON.stringify(ids),
        );
  decideAgain(connection, 'mute', now);
  return removed;
}

/** Those that still hold, in the order in which they were made. */
export function listMutes(connection: Connection, now: number): readonly Mute[] {
  return connection
    .all('SELECT * FROM mutes WHERE until IS NULL OR until > ? ORDER BY created_at, id', now)
    .map((row) => ({
      id: text(row, 'id'),
      createdAt: integer(row, 'created_at'),
      until: integerOrNull(row, 'until'),
      sessionKey: textOrNull(row, 'session_key'),
      project: textOrNull(row, 'project'),
      agent: oneOfOrNull(row, 'agent', agentNames),
      channel: textOrNull(row, 'channel'),
      kind: oneOfOrNull(row, 'kind', kinds),
    }));
}
