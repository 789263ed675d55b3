import type { PollerMemory } from '../../core/source-event.ts';
import { parseJson } from '../../platform/json.ts';
import type { Database } from '../database.ts';
import { readText } from '../row.ts';

/** The state of pollers, as rows, from which another process continues when it takes over. */
export function pollerMemoryOn({
  reads,
  writesBeside,
  now,
}: Database): (name: string) => PollerMemory {
  const read = reads(function* readMemory(connection, name: string) {
    const row = yield* connection.get('SELECT body FROM poller_memory WHERE name = ?', name);
    return row === null ? null : parseJson(readText(row, 'body'));
  });
  const write = writesBeside(function* writeMemory(connection, name: string, body: string) {
    yield* connection.run(
      `INSERT INTO poller_memory (name, body, written_at) VALUES (?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET body = excluded.body, written_at = excluded.written_at`,
      name,
      body,
      now(),
    );
  });
  return (name) => ({
    read: () => read(name),
    write: (value) => write(name, JSON.stringify(value)),
  });
}
