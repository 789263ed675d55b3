import { agentNames, kinds } from '../core/hook-event.ts';
import type { Mute, MuteStore } from '../core/policy.ts';
import { type Connection, type Query } from './query.ts';
import type { Database } from './database.ts';
import { reevaluateHeld } from './deliveries.ts';
import { field, nullable, type Row, stored, upsertInto } from './row.ts';

const storedMute = stored<Omit<Mute, 'person'> & { readonly person: string | null }>({
  id: field.text,
  createdAt: field.integer,
  until: nullable(field.integer),
  sessionKey: nullable(field.text),
  project: nullable(field.text),
  agent: nullable(field.word(agentNames)),
  channel: nullable(field.text),
  kind: nullable(field.word(kinds)),
  person: nullable(field.text),
});

export function muteStoreOn({ reads, writes, now }: Database): MuteStore {
  return {
    add: writes(addMute),
    remove: writes((connection, which: Parameters<MuteStore['remove']>[0]) =>
      removeMutes(connection, which, now()),
    ),
    active: reads(listMutes),
  };
}

const upsertMute = upsertInto('mutes', storedMute.columns, 'id');

function* addMute(
  connection: Connection,
  mute: Mute,
  exceptChannels: readonly string[],
): Query<void> {
  const { sessionKey, channel, project, agent, kind, person = null } = mute;
  yield* connection.run(upsertMute, ...storedMute.valuesOf({ ...mute, person }));
  // A combined delivery is sent: its other events are not all muted.
  yield* connection.run(
    `UPDATE deliveries SET held_for = 'mute', due_at = ?, released_at = NULL
    WHERE state = 'pending' AND held_for IS NULL AND claimed_until IS NULL
      AND channel NOT IN (SELECT value FROM json_each(?))
      AND session_key = coalesce(?, session_key) AND channel = coalesce(?, channel)
      AND recipient IS NOT DISTINCT FROM coalesce(?, recipient)
      AND EXISTS (
        SELECT 1 FROM events WHERE id = event_id AND agent = coalesce(?, agent)
          AND kind = coalesce(?, kind) AND project IS NOT DISTINCT FROM coalesce(?, project)
      )
      AND NOT EXISTS (SELECT 1 FROM deliveries AS covered WHERE covered.told_by = deliveries.id)`,
    mute.createdAt,
    JSON.stringify(exceptChannels),
    sessionKey,
    channel,
    person,
    agent,
    kind,
    project,
  );
}

/** Returns how many; deliveries held by mutes are decided again. */
function* removeMutes(
  connection: Connection,
  which: Parameters<MuteStore['remove']>[0],
  now: number,
): Query<number> {
  const removed = yield* deleteMutes(connection, which);
  yield* reevaluateHeld(connection, 'mute', now);
  return removed;
}

function deleteMutes(
  connection: Connection,
  which: Parameters<MuteStore['remove']>[0],
): Query<number> {
  if (which === 'all') return connection.run('DELETE FROM mutes WHERE person IS NULL');
  if ('person' in which) return connection.run('DELETE FROM mutes WHERE person = ?', which.person);
  const sql = 'DELETE FROM mutes WHERE id IN (SELECT value FROM json_each(?))';
  return connection.run(sql, JSON.stringify(which));
}

export function* listMutes(connection: Connection, now: number): Query<readonly Mute[]> {
  const sql = 'SELECT * FROM mutes WHERE until IS NULL OR until > ? ORDER BY created_at, id';
  return (yield* connection.all(sql, now)).map(readMute);
}

function readMute(row: Row): Mute {
  const { person, ...mute } = storedMute.read(row);
  return { ...mute, ...(person !== null && { person }) };
}
